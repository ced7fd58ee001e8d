import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { webhookTable } from '../output/webhook-table.ts';

export const webhookEnable: Command = {
  name: 'webhook enable',
  usage: '<service> <id>',
  summary: 'Enable a webhook that was disabled after failures',
  arguments: { '<service>': 'The slug of the service', '<id>': 'The id of the webhook' },
  options: connectionOptions,
  examples: [
    {
      command: 'rapsheet webhook enable ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85',
      description: 'Enable a webhook',
    },
  ],
  positionals: [2, 2],
  async run(input) {
    const [service = '', id = ''] = input.positionals;
    const enabled = await connect(input).enableWebhook(service, id);
    input.print(enabled, webhookTable([enabled.webhook]));
  },
};
