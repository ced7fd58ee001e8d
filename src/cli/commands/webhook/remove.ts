import type { Command } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { visible } from '../../output/show.ts';

export const webhookRemove: Command = {
  usage: '<service> <id>',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet webhook remove ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d86',
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
