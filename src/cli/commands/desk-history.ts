import type { ReportHistory } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { outputOption } from '../output/format.ts';
import { type Columns, printList } from '../output/list.ts';

export const deskHistory: Command = {
  name: 'desk history',
  usage: '<service> <id>',
  summary: 'Show what happened to a report: its creation and its statuses',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the report' },
  options: { ...connectionOptions, ...outputOption },
  examples: [
    {
      command: 'rapsheet desk history ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
      description: 'Show what happened to a report',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const shown = await connect(input).reportHistory(service, id);
    if (shown.hasMore) input.printMessage('Older statuses are left out.');
    printList(input, { result: shown, columns: historyColumns, rows: shown.history });
  },
};

const historyColumns: Columns<ReportHistory['history'][number]> = [
  {
    name: 'at',
    title: 'AT',
    value: ({ at }) => at,
    text: ({ at, inferred }) => (inferred ? `before ${at}` : at),
  },
  { name: 'change', title: 'CHANGE', value: ({ type, status }) => status ?? type },
  { name: 'reason', title: 'REASON', value: ({ reason }) => reason },
  { name: 'by', title: 'BY', flexible: true, value: ({ by }) => by },
  { name: 'note', title: 'NOTE', flexible: true, value: ({ note }) => note },
  { name: 'inferred', value: ({ inferred }) => inferred },
];
