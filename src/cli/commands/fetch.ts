import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showReport } from '../output/show.ts';

export const fetchReport: Command = {
  name: 'fetch',
  usage: '<service> <id>',
  summary: 'Fetch a report',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the report' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet fetch ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80',
      description: 'Fetch a report of the service ply',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const fetched = await connect(input).fetchReport(service, id);
    input.print(fetched, showReport(fetched.report));
  },
};
