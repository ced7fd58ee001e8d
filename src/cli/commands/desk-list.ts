import type { Command } from '../command.ts';
import { listOptions, listReports, listUsage } from '../feeds/report-list.ts';

export const deskList: Command = {
  name: 'desk list',
  usage: `<service> ${listUsage}`,
  summary: 'List the open reports of a service, oldest first',
  arguments: { '<service>': 'The slug of the service' },
  options: listOptions,
  examples: [
    { command: 'rapsheet desk list ply', description: 'List the open reports' },
    {
      command: 'rapsheet desk list ply --status acknowledged',
      description: 'List the reports in progress',
    },
  ],
  positionals: [1, 1],
  run: (input) => listReports(input, { status: 'open', order: 'asc' }),
};
