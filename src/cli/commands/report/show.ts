import type { RapsheetClient } from '../../../client/client.ts';
import type { ReportHistory } from '../../../client/wire.ts';
import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { showExtended } from '../../feeds/feed-table.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { outputOption } from '../../output/format.ts';
import { type Columns, printList } from '../../output/list.ts';
import { showReport } from '../../output/show.ts';

export const reportShow: Command = {
  usage: '<service> <id> [--as-reported|--history]',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the report' },
  options: {
    ...connectionOptions,
    ...outputOption,
    'as-reported': {
      type: 'boolean',
      description: 'Only what was reported, without status and sightings',
    },
    history: {
      type: 'boolean',
      description: 'What happened to it: its creation and its statuses',
    },
  },
  examples: [
    {
      command: 'rapsheet report show ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
      description: 'Show a report of the service ply',
    },
    {
      command: 'rapsheet report show ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80 --history',
      description: 'Show what happened to a report',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const { history, output, 'as-reported': asReported } = input.options;
    if (history !== undefined && asReported !== undefined)
      throw new CommandError('--as-reported and --history exclude each other', EXIT.usage);
    if (history === true) return printHistory(input, connect(input));
    if (output !== undefined && output !== 'json')
      throw new CommandError('--output is for --history: a report is no list', EXIT.usage);
    const [service = '', id = ''] = input.positionals;
    const client = connect(input);
    if (asReported === true) {
      const fetched = await client.fetchReport(service, id);
      return input.print(fetched, showReport(fetched.report));
    }
    const shown = await client.showReport(service, id);
    input.print(shown, showExtended(shown.report));
  },
};

async function printHistory(input: CommandInput, client: RapsheetClient): Promise<void> {
  const [service = '', id = ''] = input.positionals;
  const shown = await client.reportHistory(service, id);
  if (shown.hasMore) input.printMessage('Older statuses are left out.');
  printList(input, { result: shown, columns: historyColumns, rows: shown.history });
}

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
