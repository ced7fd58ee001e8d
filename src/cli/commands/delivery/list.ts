import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import {
  deliveryArguments,
  deliveryOptions,
  deliveryUsage,
  listDeliveries,
  MAIL,
} from '../../feeds/delivery-list.ts';
import { deliveryColumns, mailDeliveryColumns } from '../../output/webhook-table.ts';

export const deliveryList: Command = {
  usage: `<service> <webhook>|mail ${deliveryUsage}`,
  arguments: deliveryArguments,
  options: deliveryOptions,
  examples: [
    {
      command: 'rapsheet delivery list ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 --state dead',
      description: 'List the deliveries that failed for good',
    },
    {
      command: 'rapsheet delivery list ply mail --state dead',
      description: 'List the mails that failed for good',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', webhook = ''] = input.positionals;
    const client = connect(input);
    if (webhook === MAIL)
      return listDeliveries(input, mailDeliveryColumns, (request) =>
        client.listMailDeliveries(service, request),
      );
    await listDeliveries(input, deliveryColumns, (request) =>
      client.listDeliveries(service, webhook, request),
    );
  },
};
