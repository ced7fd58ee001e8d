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
      command: 'rapsheet desk show ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
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
