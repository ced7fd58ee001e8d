import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { outcomeColumns, showReporter } from '../output/trust-summary.ts';

export const statsReporter: Command = {
  name: 'stats reporter',
  usage: '<name>',
  summary: 'Show the outcomes of the reports of a reporter, and the precision',
  arguments: { '<name>': 'The name of the account that reported' },
  options: { ...connectionOptions, ...outputOption },
  examples: [
    {
      command: 'rapsheet stats reporter alice',
      description: 'Show the outcomes of the reports of alice',
    },
  ],
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
