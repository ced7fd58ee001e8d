import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { printList } from '../output/list.ts';
import { showStatistics, statisticColumns } from '../output/statistics-summary.ts';

export const statistics: Command = {
  name: 'statistics',
  usage: '[<service>] [--days <n>]',
  summary: 'Show the reports and answers of a feed, or of all feeds, over the last days',
  arguments: { '<service>': 'The slug of the service; all feeds without it' },
  options: {
    days: {
      type: 'string',
      value: '<n>',
      description: 'The number of days: 30 by default, at most 90',
    },
    ...connectionOptions,
    ...outputOption,
  },
  examples: [
    { command: 'rapsheet statistics ply --days 7', description: 'Show the last week of a feed' },
  ],
  positionals: [0, 1],
  async run(input) {
    const [service = 'all'] = input.positionals;
    // The server checks the number.
    const days = input.options['days'] as number | undefined;
    const shown = await connect(input).feedStatistics(service, { days });
    printList(input, {
      result: shown,
      columns: statisticColumns,
      rows: shown.days,
      text: () => showStatistics(shown),
    });
  },
};
