import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showExtended } from '../feeds/feed-table.ts';

export const deskShow: Command = {
  name: 'desk show',
  usage: '<service> <id>',
  summary: 'Show a report with its status and sightings',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the report' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet desk show ply 0198e5a0-0000-7000-8000-000000000001',
      description: 'Show a report of the service ply',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const shown = await connect(input).showReport(service, id);
    input.print(shown, showExtended(shown.report));
  },
};
