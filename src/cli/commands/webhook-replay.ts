import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';

export const webhookReplay: Command = {
  name: 'webhook replay',
  usage: '<service> <id> <delivery>…',
  summary: 'Send deliveries to a webhook again, in any state',
  arguments: {
    '<service>': 'The slug of the service',
    '<id>': 'The id of the webhook',
    '<delivery>…': 'The ids of the deliveries',
  },
  options: connectionOptions,
  examples: [
    {
      command:
        'rapsheet webhook replay ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d87',
      description: 'Send a delivery again',
    },
  ],
  positionals: [3, Number.POSITIVE_INFINITY],
  async run(input) {
    const [service = '', id = '', ...deliveries] = input.positionals;
    const client = connect(input);
    for (const delivery of deliveries) {
      const queued = await client.replayDelivery(service, id, delivery);
      input.print(queued, `Delivery ${delivery} is queued again.`);
    }
  },
};
