import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const webhookRemove: Command = {
  name: 'webhook remove',
  usage: '<service> <id>',
  summary: 'Remove a webhook; its pending deliveries are not sent',
  options: connectionOptions,
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const removed = await connect(input).deleteWebhook(service, id);
    input.print(removed, visible(removed.message));
  },
};
