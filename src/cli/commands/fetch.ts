import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showReport } from '../output/show.ts';

export const fetchReport: Command = {
  name: 'fetch',
  usage: '<service> <id>',
  summary: 'Fetch a report',
  options: connectionOptions,
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const fetched = await connect(input).fetchReport(service, id);
    input.print(fetched, showReport(fetched.report));
  },
};
