import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const route: Command = {
  name: 'route',
  usage: '<c2>',
  summary: 'Name the service that answers for a C2 or a host',
  arguments: { '<c2>': '<host>:<port> or a host' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet route tunnel.ply.example:4444',
      description: 'Find the service to report a C2 to',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const found = await connect(input).route(input.positionals[0] ?? '');
    if (found.service === null) input.printMessage(`No service declares ${visible(found.host)}.`);
    const state = found.verified ? 'verified' : 'declared';
    if (input.json || found.service !== null)
      input.print(found, visible(`${found.service} (${found.pattern}, ${state})`));
  },
};
