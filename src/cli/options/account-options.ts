import type { presentAccount } from '../../http/responses/present.ts';
import type { CommandInput, CommandOptions } from '../command.ts';
import { table } from '../output/table.ts';
import { asNumber, omitUndefined } from '../store-command.ts';

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
