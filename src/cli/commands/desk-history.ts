import type { ReportHistory } from '../../client/wire.ts';
import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { table } from '../output/table.ts';

export const deskHistory: Command = {
  name: 'desk history',
  usage: '<service> <id>',
  summary: 'Show what happened to a report: its creation and its statuses',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the report' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet desk history ply 0198e5a0-0000-7000-8000-000000000001',
      description: 'Show what happened to a report',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const shown = await connect(input).reportHistory(service, id);
    if (shown.hasMore) input.printMessage('Older statuses are left out.');
    input.print(shown, historyTable(shown.history));
  },
};

function historyTable(history: ReportHistory['history']): string {
  return table(
    ['AT', 'CHANGE', 'REASON', 'BY', 'NOTE'],
    history.map(({ at, type, status, reason, by, note, inferred }) => [
      inferred ? `before ${at}` : at,
      status ?? type,
      reason ?? '',
      by ?? '',
      note ?? '',
    ]),
  );
}
