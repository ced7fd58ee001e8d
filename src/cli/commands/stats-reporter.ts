import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { outcomeColumns, showReporter } from '../output/trust-summary.ts';

export const statsReporter: Command = {
  name: 'stats reporter',
  usage: '<name>',
  summary: 'Show the outcomes of the reports of a reporter, and the precision',
  options: { ...connectionOptions, ...outputOption },
  positionals: [1, 1],
  async run(input) {
    const [name = ''] = input.positionals;
    const shown = await connect(input).reporterStatistics(name);
    printList(input, {
      result: shown,
      columns: outcomeColumns,
      rows: shown.services,
      text: () => showReporter(shown),
    });
  },
};
