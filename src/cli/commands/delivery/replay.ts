import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import { deliveryArguments, MAIL } from '../../feeds/delivery-list.ts';
import { connectionOptions } from '../../options/connection-options.ts';

export const deliveryReplay: Command = {
  usage: '<service> <webhook>|mail <delivery>…',
  arguments: {
    ...deliveryArguments,
    '<delivery>…': 'The ids of the deliveries',
  },
  options: connectionOptions,
  examples: [
    {
      command:
        'rapsheet delivery replay ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d87',
      description: 'Send a delivery again',
    },
    {
      command: 'rapsheet delivery replay ply mail 0198e5a0-0000-7000-8000-000000000001',
      description: 'Mail a report again',
    },
  ],
  positionals: [3, Number.POSITIVE_INFINITY],
  async run(input) {
    const [service = '', webhook = '', ...deliveries] = input.positionals;
    const client = connect(input);
    for (const delivery of deliveries) {
      const queued = await (webhook === MAIL
        ? client.replayMail(service, delivery)
        : client.replayDelivery(service, webhook, delivery));
      input.print(queued, `Delivery ${delivery} is queued again.`);
    }
  },
};
