import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const webhookRemove: Command = {
  name: 'webhook remove',
  usage: '<service> <id>',
  summary: 'Remove a webhook; its pending deliveries are not sent',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet webhook remove ply 0198e5a0-0000-7000-8000-000000000001',
      description: 'Remove a webhook',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const removed = await connect(input).deleteWebhook(service, id);
    input.print(removed, visible(removed.message));
  },
};
