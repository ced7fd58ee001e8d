import { type Command, CommandError, type CommandInput, EXIT } from '../../command.ts';
import { connect } from '../../connection.ts';
import { connectionOptions } from '../../options/connection-options.ts';
import { webhookTable } from '../../output/webhook-table.ts';
import { readSwitch, requireChange } from '../../store-command.ts';

export const webhookSet: Command = {
  usage: '<service> <id> --enable | <id> [--disable|--enable] [--owner <id or name>]',
  arguments: {
    '<service>': 'The slug of the service; an administrator leaves it out',
    '<id>': 'The id of the webhook',
  },
  options: {
    ...connectionOptions,
    disable: { type: 'boolean', description: 'Send nothing any more, as an administrator' },
    enable: {
      type: 'boolean',
      description: 'Send again, for example after it failed for too long',
    },
    owner: {
      type: 'string',
      value: '<id or name>',
      description: 'The account that owns it from now on, as an administrator',
    },
  },
  examples: [
    {
      command: 'rapsheet webhook set ply 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 --enable',
      description: 'Enable a webhook of your feed that was disabled after failures',
    },
    {
      command: 'rapsheet webhook set 0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d85 --disable',
      description: 'Disable a webhook of any feed',
    },
  ],
  positionals: [1, 2],
  async run(input) {
    const id = input.positionals.at(-1) ?? '';
    if (input.positionals.length > 1) return enableAsOwner(input, id);
    const disabled = readSwitch(input.options, 'disable', 'enable') as boolean | undefined;
    const owner = input.options['owner'] as string | undefined;
    const changed = await connect(input).changeWebhook(id, requireChange({ disabled, owner }));
    input.print(changed, webhookTable([changed.webhook]));
  },
};

async function enableAsOwner(input: CommandInput, id: string): Promise<void> {
  const [service = ''] = input.positionals;
  const { enable, disable, owner } = input.options;
  if (enable !== true || disable !== undefined || owner !== undefined)
    throw new CommandError(
      'with a service, only --enable can be given: administrators leave the service out',
      EXIT.usage,
    );
  const enabled = await connect(input).enableWebhook(service, id);
  input.print(enabled, webhookTable([enabled.webhook]));
}
