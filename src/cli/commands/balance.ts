import type { Command } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { showBalance } from '../output/show.ts';

export const balance: Command = {
  name: 'balance',
  usage: connectionUsage,
  summary: 'Show what is left of the lookup quota; takes nothing of it',
  options: connectionOptions,
  async run(input) {
    const left = await connect(input).balance();
    input.print(left, showBalance(left));
  },
};
