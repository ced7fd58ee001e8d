import { ROLES } from '../../domain/accounts/caller.ts';
import { accountBody } from '../../http/requests/admin-fields.ts';
import { presentAccount } from '../../http/responses/present.ts';
import { addAccount } from '../../operations/accounts/add-account.ts';
import type { Command } from '../command.ts';
import {
  accountOptions,
  accountTable,
  expiryMember,
  quotaMember,
} from '../options/account-options.ts';
import { obeying, onStore, operatorOf } from '../store-command.ts';

export const accountAdd: Command = {
  name: 'account add',
  usage:
    '<name> [--researcher] [--admin] [--service <slug>]… [--quota <n>|unlimited] [--period day|month|none] [--expires <time>]',
  summary: 'Add an account; its first token is shown this once',
  options: accountOptions,
  words: [1, 1],
  async run(input) {
    const { words, options } = input;
    const wish = obeying(accountBody, {
      name: words[0],
      roles: ROLES.filter((role) => options[role] === true),
      services: options['service'],
      quota: quotaMember(options),
      expiresAt: expiryMember(options),
    });
    const made = await onStore(input, (deps) => addAccount(deps, operatorOf(deps), wish));
    const account = presentAccount(made.account);
    input.print(
      { account, token: made.token },
      `${accountTable([account])}\n\nIts token, shown this once:\n${made.token}`,
    );
  },
};
