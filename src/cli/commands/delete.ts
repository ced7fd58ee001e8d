import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const deleteReport: Command = {
  name: 'delete',
  usage: '<service> <id>',
  summary: 'Delete a report that you created, or one in a feed that you own',
  options: connectionOptions,
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const deleted = await connect(input).deleteReport(service, id);
    input.print(deleted, visible(deleted.message));
  },
};
