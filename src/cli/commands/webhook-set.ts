import type { Command } from '../command.ts';
import { connect, connectionOptions } from '../connection.ts';
import { webhookTable } from '../output/webhook-table.ts';
import { readSwitch, requireChange } from '../store-command.ts';

export const webhookSet: Command = {
  name: 'webhook set',
  usage: '<id> [--disable|--enable] [--owner <id or name>]',
  summary: 'Disable, enable or reassign a webhook of any feed, as an administrator',
  arguments: { '<id>': 'The id of the webhook' },
  options: {
    ...connectionOptions,
    disable: { type: 'boolean', description: 'Send nothing any more' },
    enable: { type: 'boolean', description: 'Send again' },
    owner: {
      type: 'string',
      value: '<id or name>',
      description: 'The account that owns it from now on',
    },
  },
  examples: [
    {
      command: 'rapsheet webhook set 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 --disable',
      description: 'Disable a webhook',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const [id = ''] = input.positionals;
    const disabled = readSwitch(input.options, 'disable', 'enable') as boolean | undefined;
    const owner = input.options['owner'] as string | undefined;
    const changed = await connect(input).changeWebhook(id, requireChange({ disabled, owner }));
    input.print(changed, webhookTable([changed.webhook]));
  },
};
