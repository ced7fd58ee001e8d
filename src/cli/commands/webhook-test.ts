import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const webhookTest: Command = {
  name: 'webhook test',
  usage: '<service> <id>',
  summary: 'Send a test delivery to a webhook; prints its id',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet webhook test ply 0198e5a0-0000-7000-8000-000000000001',
      description: 'Send a test event',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const queued = await connect(input).testWebhook(service, id);
    input.print(queued, visible(queued.delivery));
  },
};
