import { ROLES } from '../../../domain/accounts/caller.ts';
import { accountBody } from '../../../http/requests/admin-fields.ts';
import { presentAccount } from '../../../http/responses/present.ts';
import { addAccount } from '../../../operations/accounts/add-account.ts';
import type { Command } from '../../command.ts';
import {
  accountNames,
  accountOptions,
  accountTable,
  createRateMember,
  expiryMember,
  quotaMember,
} from '../../options/account-options.ts';
import { auditContextOf, onStore, parseInput } from '../../store-command.ts';

export const accountAdd: Command = {
  usage:
    '<name> [--researcher] [--notices] [--admin] [--service <slug>]… [--quota <n>|unlimited] [--period day|month|none] [--create-rate <n>[/<burst>]|default] [--expires <time>]',
  arguments: { '<name>': 'The name of the account' },
  options: accountOptions,
  examples: [
    {
      command: 'rapsheet account add dana --researcher --quota 300 --period day',
      description: 'Add a researcher',
    },
    {
      command: 'rapsheet account add ply-desk --service ply',
      description: 'Add an owner of a feed',
    },
    {
      command: 'rapsheet account add takedowns --notices',
      description: 'Add an account for the desk of unclaimed addresses',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const { positionals, options } = input;
    const members = {
      name: positionals[0],
      roles: ROLES.filter((role) => options[role] === true),
      services: options['service'],
      quota: quotaMember(options),
      createRate: createRateMember(options),
      expiresAt: expiryMember(options),
    };
    const request = parseInput(accountBody, members, accountNames);
    const created = await onStore(
      input,
      (deps) => addAccount(deps, auditContextOf(deps), request),
      { create: true, names: accountNames },
    );
    const account = presentAccount(created.account);
    input.print(
      { account, token: created.token },
      `${accountTable([account])}\n\nIts token, shown only once:\n${created.token}`,
    );
  },
};
