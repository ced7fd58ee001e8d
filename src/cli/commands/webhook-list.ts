import type { Command } from '../command.ts';
import { connect, connectionOptions, connectionUsage } from '../connection.ts';
import { webhookTable } from '../webhook-table.ts';

export const webhookList: Command = {
  name: 'webhook list',
  usage: `<service> ${connectionUsage}`,
  summary: 'List the webhooks of a feed you own',
  options: connectionOptions,
  words: [1, 1],
  async run(input) {
    const [service = ''] = input.words;
    const found = await connect(input).listWebhooks(service);
    input.print(found, webhookTable(found.webhooks));
  },
};
