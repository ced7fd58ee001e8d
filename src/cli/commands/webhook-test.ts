import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { visible } from '../output/show.ts';

export const webhookTest: Command = {
  name: 'webhook test',
  usage: '<service> <id>',
  summary: 'Send a test delivery to a webhook; prints its id',
  options: connectionOptions,
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const queued = await connect(input).testWebhook(service, id);
    input.print(queued, visible(queued.delivery));
  },
};
