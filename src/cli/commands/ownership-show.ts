import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { howToProve, ownershipTable } from '../output/ownership-table.ts';

export const ownershipShow: Command = {
  name: 'ownership show',
  usage: '<service>',
  summary: 'Show which declared hosts of a service are proven, and what to publish for the others',
  options: connectionOptions,
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    const shown = await connect(input).showOwnership(service);
    input.print(shown, `${ownershipTable(shown.patterns)}${howToProve(shown)}`);
  },
};
