import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const mailTest: Command = {
  name: 'mail test',
  usage: '<service>',
  summary: 'Send a test mail to the address of a service; prints the id of its delivery',
  arguments: { '<service>': 'The slug of the service' },
  options: connectionOptions,
  examples: [{ command: 'rapsheet mail test ply', description: 'Send a test mail' }],
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    const queued = await connect(input).testMail(service);
    input.print(queued, visible(queued.delivery));
  },
};
