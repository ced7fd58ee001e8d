import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showExtended } from '../feeds/feed-table.ts';

export const deskShow: Command = {
  name: 'desk show',
  usage: '<service> <id>',
  summary: 'Show a report with its status and sightings',
  options: connectionOptions,
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const shown = await connect(input).showReport(service, id);
    input.print(shown, showExtended(shown.report));
  },
};
