import type { Command } from '../command.ts';
import { connect } from '../connection.ts';
import { deliveryOptions, deliveryUsage, listDeliveries } from '../feeds/delivery-list.ts';
import { deliveryColumns } from '../output/webhook-table.ts';

export const webhookDeliveries: Command = {
  name: 'webhook deliveries',
  usage: `<service> <id> ${deliveryUsage}`,
  summary: 'List the deliveries of a webhook, newest first',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
  options: deliveryOptions,
  examples: [
    {
      command: 'rapsheet webhook deliveries ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 --state dead',
      description: 'List the deliveries that failed for good',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    await listDeliveries(input, deliveryColumns, (request) =>
      connect(input).listDeliveries(service, id, request),
    );
  },
};
