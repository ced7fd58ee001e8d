import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';

export const mailReplay: Command = {
  name: 'mail replay',
  usage: '<service> <delivery>…',
  summary: 'Mail reports again, in any state',
  arguments: { '<service>': 'The slug of the service', '<delivery>…': 'The ids of the deliveries' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet mail replay ply 0198e5a0-0000-7000-8000-000000000001',
      description: 'Mail a report again',
    },
  ],
  positionals: [2, Number.POSITIVE_INFINITY],
  async run(input) {
    const [service = '', ...deliveries] = input.positionals;
    const client = connect(input);
    for (const delivery of deliveries) {
      const queued = await client.replayMail(service, delivery);
      input.print(queued, `Delivery ${delivery} is queued again.`);
    }
  },
};
