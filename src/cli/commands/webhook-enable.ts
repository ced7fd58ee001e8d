import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { webhookTable } from '../output/webhook-table.ts';

export const webhookEnable: Command = {
  name: 'webhook enable',
  usage: '<service> <id>',
  summary: 'Enable a webhook that was disabled after failures',
  options: connectionOptions,
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const enabled = await connect(input).enableWebhook(service, id);
    input.print(enabled, webhookTable([enabled.webhook]));
  },
};
