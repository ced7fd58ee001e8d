import { endsAdministration } from '../../../domain/accounts/administrators.ts';
import { ROLES, type Role } from '../../../domain/accounts/caller.ts';
import { accountChanges } from '../../../http/requests/admin-fields.ts';
import { presentAccount } from '../../../http/responses/present.ts';
import { changeAccount } from '../../../operations/accounts/change-account.ts';
import { findAccount } from '../../../operations/accounts/find-account.ts';
import type { Dependencies } from '../../../operations/dependencies.ts';
import type { Account } from '../../../ports/store.ts';
import type { Command, CommandInput } from '../../command.ts';
import {
  accountNames,
  accountOptions,
  accountTable,
  createRateMember,
  expiryMember,
  quotaMember,
} from '../../options/account-options.ts';
import {
  asNumber,
  auditContextOf,
  onStore,
  parseInput,
  readSwitch,
  requireChange,
} from '../../store-command.ts';

export const accountSet: Command = {
  usage:
    '<id or name> [--researcher|--no-researcher] [--notices|--no-notices] [--admin|--no-admin] [--service <slug>]…|--no-services [--quota <n>|unlimited] [--period day|month|none] [--create-rate <n>[/<burst>]|default] [--top-up <n>] [--disable|--enable] [--expires <time>|never]',
  arguments: { '<id or name>': 'The id or the name of the account' },
  options: {
    ...accountOptions,
    'no-researcher': { type: 'boolean', description: 'Take the role of a researcher away' },
    'no-notices': { type: 'boolean', description: 'Take the role for unclaimed addresses away' },
    'no-admin': { type: 'boolean', description: 'Take the role of an administrator away' },
    'no-services': { type: 'boolean', description: 'Take all feeds away' },
    'top-up': {
      type: 'string',
      value: '<n>',
      description: 'Units to add, which are spent last and do not expire',
    },
    disable: {
      type: 'boolean',
      description: 'Refuse the tokens of the account, and end its sessions and links for good',
    },
    enable: { type: 'boolean', description: 'Accept the tokens of the account again' },
  },
  examples: [
    { command: 'rapsheet account set alice --quota unlimited', description: 'Lift the quota' },
    { command: 'rapsheet account set bruno --disable', description: 'Disable an account' },
    {
      command: 'rapsheet account set feeder --create-rate 60000/200000',
      description: 'Let an account report 1,000 C2s a second, and 200,000 at once',
    },
  ],
  positionals: [1, 1],
  async run(input) {
    const change = async (deps: Dependencies) => {
      const account = await findAccount(deps, input.positionals[0] ?? '');
      const members = requireChange(membersOf(input.options, account));
      const changes = parseInput(accountChanges, members, accountNames);
      const audit = auditContextOf(deps);
      const changed = await changeAccount(deps, audit, account.id, changes);
      const isLast =
        endsAdministration(account, changed, audit.at) &&
        !(await deps.store.accounts.hasAdministrator(audit.at));
      return { changed, isLast };
    };
    const { changed, isLast } = await onStore(input, change, { names: accountNames });
    const account = presentAccount(changed);
    if (isLast) input.printMessage(NO_ADMINISTRATOR);
    input.print({ account }, accountTable([account]));
  },
};

const NO_ADMINISTRATOR =
  'Warning: this was the last administrator, so nobody can administer over HTTP. Repair that with `rapsheet account set <name> --enable --admin --expires never`.';

function membersOf(options: CommandInput['options'], account: Account): Record<string, unknown> {
  return {
    roles: rolesAfter(options, account.roles),
    services: readSwitch(options, 'no-services', 'service') === true ? [] : options['service'],
    quota: quotaMember(options),
    createRate: createRateMember(options),
    topUp: asNumber(options['top-up']),
    disabled: readSwitch(options, 'disable', 'enable'),
    expiresAt: expiryMember(options),
  };
}

function rolesAfter(
  options: CommandInput['options'],
  roles: readonly Role[],
): readonly Role[] | undefined {
  const switchOf = (role: Role) => readSwitch(options, role, `no-${role}`);
  if (ROLES.every((role) => switchOf(role) === undefined)) return undefined;
  return ROLES.filter((role) => switchOf(role) ?? roles.includes(role));
}
