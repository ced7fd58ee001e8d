import type { Command } from '../command.ts';
import { listOptions, listReports, listUsage } from '../feeds/report-list.ts';

export const deskList: Command = {
  name: 'desk list',
  usage: `<service> ${listUsage}`,
  summary: 'List the open reports of a service, oldest first',
  options: listOptions,
  positionals: [1, 1],
  run: (input) => listReports(input, { status: 'open', order: 'asc' }),
};
