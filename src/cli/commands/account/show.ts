import { presentAccount } from '../../../http/responses/present.ts';
import { findAccount } from '../../../operations/accounts/find-account.ts';
import type { Command } from '../../command.ts';
import { showAccount } from '../../options/account-options.ts';
import { onStore } from '../../store-command.ts';

export const accountShow: Command = {
  usage: '<id or name>',
  arguments: { '<id or name>': 'The account, such as alice' },
  examples: [{ command: 'rapsheet account show admin', description: 'Show the first account' }],
  positionals: [1, 1],
  async run(input) {
    const found = await onStore(input, (deps) => findAccount(deps, input.positionals[0] ?? ''));
    const account = presentAccount(found);
    input.print({ account }, showAccount(account));
  },
};
