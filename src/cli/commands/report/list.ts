import type { Command } from '../../command.ts';
import { listOptions, listReports, listUsage } from '../../feeds/report-list.ts';

export const reportList: Command = {
  usage: `<service>|all ${listUsage}`,
  arguments: { '<service>|all': 'The slug of the service, or all for every feed' },
  options: listOptions,
  examples: [
    {
      command: 'rapsheet report list ply --tag stealer --since 2026-08-01',
      description: 'List the newest reports with a tag',
    },
    {
      command: 'rapsheet report list all --host tunnel.ply.example --all --ndjson',
      description: 'List all reports of a host, one per line',
    },
    {
      command: 'rapsheet report list ply --status open --order asc',
      description: 'List the open reports of a service, oldest first',
    },
  ],
  positionals: [1, 1],
  run: (input) => listReports(input, {}),
};
