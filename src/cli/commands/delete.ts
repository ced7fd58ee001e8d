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
      command: 'rapsheet delete ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d81',
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
