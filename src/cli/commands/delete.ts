import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const deleteReport: Command = {
  name: 'delete',
  usage: '<service> <id>',
  summary: 'Delete a report that you created, or one in a feed that you own',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the report' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet delete ply 0198e5a0-0000-7000-8000-000000000001',
      description: 'Delete a report of the service ply',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const deleted = await connect(input).deleteReport(service, id);
    input.print(deleted, visible(deleted.message));
  },
};
