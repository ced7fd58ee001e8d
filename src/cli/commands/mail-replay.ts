import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';

export const mailReplay: Command = {
  name: 'mail replay',
  usage: '<service> <delivery>…',
  summary: 'Mail reports again, in any state',
  options: connectionOptions,
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
