import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { showBalance } from '../output/show.ts';

export const balance: Command = {
  name: 'balance',
  usage: '',
  summary: 'Show the remaining lookup quota, without using any of it',
  options: connectionOptions,
  examples: [{ command: 'rapsheet balance', description: 'Show the remaining quota' }],
  async run(input) {
    const remaining = await connect(input).balance();
    input.print(remaining, showBalance(remaining));
  },
};
