import type { Command } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { table } from '../output/table.ts';

export const usage: Command = {
  name: 'usage',
  usage: connectionUsage,
  summary: 'Show the lookups charged on each of the last 90 days, without using any',
  options: connectionOptions,
  async run(input) {
    const shown = await connect(input).usage();
    const charged = shown.days.filter(({ units }) => units > 0);
    if (charged.length === 0) input.printMessage('No lookup was charged in the last 90 days.');
    const rows = charged.map(({ day, units }) => [day, String(units)]);
    input.print(shown, rows.length === 0 ? '' : table(['DAY', 'UNITS'], rows));
  },
};
