import type { presentAccount } from '../../http/responses/present.ts';
import type { CommandInput, CommandOptions } from '../command.ts';
import type { InputNames } from '../input/input-names.ts';
import { table } from '../output/table.ts';
import { asNumber, omitUndefined } from '../store-command.ts';

/** `expiresAt`, for commands with `--expires`. */
export const EXPIRY_NAME = {
  name: '--expires',
  rule: 'a time of the form YYYY-MM-DDTHH:MM:SSZ, or "never"',
};

export const accountOptions = {
  researcher: { type: 'boolean', description: 'May report and upload' },
  admin: { type: 'boolean', description: 'May administer the server' },
  service: {
    type: 'string',
    multiple: true,
    value: '<slug>',
    description: 'A feed that the account owns',
  },
  quota: { type: 'string', value: '<n>|unlimited', description: 'The number of lookups' },
  period: {
    type: 'string',
    value: 'day|month|none',
    description: 'When the quota is restored; none is prepaid',
  },
  expires: {
    type: 'string',
    value: '<time>|never',
    description: 'When the account expires: 2027-01-31T00:00:00Z',
  },
} as const satisfies CommandOptions;

/** The names of the members in errors. */
export const accountNames: InputNames = {
  name: '<name>',
  services: { name: '--service', rule: 'the slug of a service' },
  'quota.limit': { name: '--quota', rule: 'a whole number or "unlimited" (at most 1000000000)' },
  'quota.period': { name: '--period', rule: 'one of day, month, none' },
  topUp: '--top-up',
  expiresAt: EXPIRY_NAME,
};

export function quotaMember({
  quota,
  period,
}: CommandInput['options']): Record<string, unknown> | undefined {
  if (quota === undefined && period === undefined) return undefined;
  return omitUndefined({ limit: quota === 'unlimited' ? null : asNumber(quota), period });
}

export function expiryMember({ expires }: CommandInput['options']): unknown {
  return expires === 'never' ? null : expires;
}

type PresentedAccount = ReturnType<typeof presentAccount>;

export function accountTable(accounts: readonly PresentedAccount[]): string {
  return table(
    ['ID', 'NAME', 'ROLES', 'SERVICES', 'QUOTA', 'LEFT', 'STATE', 'EXPIRES'],
    accounts.map((account) => [
      account.id,
      account.name,
      account.roles.join(' '),
      account.services.join(' '),
      quotaText(account.quota),
      String(account.quota.remaining ?? 'unlimited'),
      account.disabled ? 'disabled' : 'enabled',
      account.expiresAt ?? '',
    ]),
  );
}

function quotaText({ limit, period }: PresentedAccount['quota']): string {
  if (limit === null) return 'unlimited';
  return period === 'none' ? `${limit} prepaid` : `${limit} a ${period}`;
}
