import type { Command } from '../command.ts';
import { connect } from '../connection.ts';
import { deliveryOptions, deliveryUsage, listDeliveries } from '../feeds/delivery-list.ts';
import { mailDeliveryColumns } from '../output/webhook-table.ts';

export const mailDeliveries: Command = {
  name: 'mail deliveries',
  usage: `<service> ${deliveryUsage}`,
  summary: 'List the deliveries of reports by mail, newest first',
  arguments: { '<service>': 'The slug of the service' },
  options: deliveryOptions,
  examples: [
    {
      command: 'rapsheet mail deliveries ply --state dead',
      description: 'List the mails that failed for good',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [service = ''] = input.positionals;
    await listDeliveries(input, mailDeliveryColumns, (request) =>
      connect(input).listMailDeliveries(service, request),
    );
  },
};
