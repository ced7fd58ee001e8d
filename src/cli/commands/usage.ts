import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { readUsageOptions, usageOptions, usageUsage } from '../options/usage-options.ts';
import { outputOption } from '../output/format.ts';
import { printUsage } from '../output/usage-summary.ts';

export const usage: Command = {
  name: 'usage',
  usage: usageUsage,
  summary: 'Show the units charged per day, token and operation in the last 90 days, using none',
  options: { ...usageOptions, ...connectionOptions, ...outputOption },
  examples: [
    { command: 'rapsheet usage', description: 'Show the last 90 days' },
    { command: 'rapsheet usage --day 2026-08-01', description: 'Show one day' },
  ],
  async run(input) {
    const client = connect(input);
    const days = readUsageOptions(input);
    await printUsage(input, (cursor) => client.usage({ ...days, cursor, limit: 1000 }));
  },
};
