import type { Command } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { visible } from '../output/show.ts';

export const webhookTest: Command = {
  name: 'webhook test',
  usage: `<service> <id> ${connectionUsage}`,
  summary: 'Send a test to a webhook; prints the id of the delivery',
  options: connectionOptions,
  words: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.words;
    const queued = await connect(input).testWebhook(service, id);
    input.print(queued, visible(queued.delivery));
  },
};
