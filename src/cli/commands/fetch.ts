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
      command: 'rapsheet fetch ply 0198e5a0-0000-7000-8000-000000000001',
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
