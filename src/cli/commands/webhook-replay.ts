import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';

export const webhookReplay: Command = {
  name: 'webhook replay',
  usage: '<service> <id> <delivery>…',
  summary: 'Send deliveries to a webhook again, in any state',
  options: connectionOptions,
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
