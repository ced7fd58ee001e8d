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
      command: 'rapsheet webhook test ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85',
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
