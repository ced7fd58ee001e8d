import type { Command } from '../command.ts';
import { listOptions, listReports, listUsage } from '../feeds/report-list.ts';

export const feedList: Command = {
  name: 'feed list',
  usage: `<service>|all ${listUsage}`,
  summary: 'List the reports of a feed or of all feeds, newest first',
  arguments: { '<service>|all': 'The slug of the service, or all for every feed' },
  options: listOptions,
  examples: [
    {
      command: 'rapsheet feed list ply --tag stealer --since 2026-08-01',
      description: 'List the newest reports with a tag',
    },
    {
      command: 'rapsheet feed list all --host tunnel.ply.example --all --ndjson',
      description: 'List all reports of a host, one per line',
    },
  ],
  positionals: [1, 1],
  run: (input) => listReports(input, {}),
};
