import type { Command } from '../command.ts';
import { listOptions, listReports, listUsage } from '../feeds/report-list.ts';

export const deskList: Command = {
  name: 'desk list',
  usage: `<service> ${listUsage}`,
  summary: 'List what waits for the desk of a service: open reports, oldest first',
  options: listOptions,
  words: [1, 1],
  run: (input) => listReports(input, { status: 'open', order: 'asc' }),
};
