import type { Command } from '../command.ts';
import { listOptions, listReports, listUsage } from '../feeds/report-list.ts';

export const feedList: Command = {
  name: 'feed list',
  usage: `<service|all> ${listUsage}`,
  summary: 'List the reports of a feed or of all feeds, newest first',
  options: listOptions,
  positionals: [1, 1],
  run: (input) => listReports(input, {}),
};
