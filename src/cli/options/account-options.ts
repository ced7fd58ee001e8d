import { SETTINGS } from '../../config/settings.ts';
import { MAX_CREATES_BURST, MAX_CREATES_PER_MINUTE } from '../../domain/accounts/account-limits.ts';
import type { presentAccount } from '../../http/responses/present.ts';
import type { CommandInput, CommandOptions } from '../command.ts';
import type { InputNames } from '../input/input-names.ts';
import { type Columns, tableOf } from '../output/list.ts';
import { fields } from '../output/show.ts';
import { asNumber, omitUndefined } from '../store-command.ts';

/** `expiresAt`, for commands with `--expires`. */
export const EXPIRY_NAME = {
  name: '--expires',
  rule: 'a time of the form YYYY-MM-DDTHH:MM:SSZ, or "never"',
};

export const accountOptions = {
  researcher: { type: 'boolean', description: 'May report and upload' },
  notices: { type: 'boolean', description: 'Owns the feed of unclaimed addresses' },
  admin: { type: 'boolean', description: 'May administer the server, and owns that feed too' },
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
  'create-rate': {
    type: 'string',
    value: '<n>[/<burst>]|default',
    description: 'Reports a minute that it may create, and how many at once (20000)',
  },
  expires: {
    type: 'string',
    value: '<time>|never',
    description: 'When the account expires: 2027-01-31T00:00:00Z',
  },
} as const satisfies CommandOptions;

const CREATE_RATE_NAME = {
  name: '--create-rate',
  rule: `"<reports a minute>", "<reports a minute>/<burst>" (at most ${MAX_CREATES_PER_MINUTE}/${MAX_CREATES_BURST}), or "default"`,
};

/** The names of the members in errors. */
export const accountNames: InputNames = {
  name: '<name>',
  services: { name: '--service', rule: 'the slug of a service' },
  'quota.limit': { name: '--quota', rule: 'a whole number or "unlimited" (at most 1000000000)' },
  'quota.period': { name: '--period', rule: 'one of day, month, none' },
  topUp: '--top-up',
  createRate: CREATE_RATE_NAME,
  'createRate.perMinute': CREATE_RATE_NAME,
  'createRate.burst': CREATE_RATE_NAME,
  expiresAt: EXPIRY_NAME,
};

export function quotaMember({
  quota,
  period,
}: CommandInput['options']): Record<string, unknown> | undefined {
  if (quota === undefined && period === undefined) return undefined;
  return omitUndefined({ limit: quota === 'unlimited' ? null : asNumber(quota), period });
}

const DEFAULT_BURST = SETTINGS.accountLimits.createsBurst.default;

/** The burst is that of the server's default, unless it is given. */
export function createRateMember({
  'create-rate': rate,
}: CommandInput['options']): Record<string, unknown> | null | undefined {
  if (typeof rate !== 'string') return undefined;
  if (rate === 'default') return null;
  const [perMinute, burst = String(DEFAULT_BURST), ...rest] = rate.split('/');
  // Anything else is refused with the rule of the option.
  return { perMinute: asNumber(perMinute), burst: rest.length > 0 ? rate : asNumber(burst) };
}

export function expiryMember({ expires }: CommandInput['options']): unknown {
  return expires === 'never' ? null : expires;
}

type PresentedAccount = ReturnType<typeof presentAccount>;

export const accountColumns: Columns<PresentedAccount> = [
  { name: 'id', title: 'ID', value: ({ id }) => id },
  { name: 'name', title: 'NAME', flexible: true, value: ({ name }) => name },
  {
    name: 'roles',
    title: 'ROLES',
    value: ({ roles }) => roles,
    text: ({ roles }) => roles.join(' '),
  },
  {
    name: 'services',
    title: 'SERVICES',
    flexible: true,
    value: ({ services }) => services,
    text: ({ services }) => services.join(' '),
  },
  {
    name: 'quota',
    title: 'QUOTA',
    value: ({ quota: { limit } }) => limit ?? 'unlimited',
    text: ({ quota }) => quotaText(quota),
  },
  { name: 'period', value: ({ quota: { period } }) => period },
  { name: 'left', title: 'LEFT', value: ({ quota: { remaining } }) => remaining ?? 'unlimited' },
  {
    name: 'state',
    title: 'STATE',
    value: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
  },
  {
    name: 'create_rate',
    value: ({ createRate }) => createRate && `${createRate.perMinute}/${createRate.burst}`,
  },
  { name: 'expires_at', title: 'EXPIRES', value: ({ expiresAt }) => expiresAt },
  { name: 'created_at', value: ({ createdAt }) => createdAt },
];

export function accountTable(accounts: readonly PresentedAccount[]): string {
  return tableOf(accountColumns, accounts);
}

/** One account in full. */
export function showAccount(account: PresentedAccount): string {
  const { id, name, roles, services, quota, disabled, expiresAt, createdAt } = account;
  return fields([
    ['id', id],
    ['name', name],
    ['roles', roles.join(', ') || 'none: it may read and look up'],
    ['owns the feeds', services.join(', ') || 'none'],
    ['quota', quotaText(quota)],
    ['left', `${quota.remaining ?? 'unlimited'}${resetText(quota)}`],
    ['reports', createRateText(account.createRate)],
    ['state', disabled ? 'disabled' : 'enabled'],
    ['created', createdAt],
    ['expires', expiresAt ?? 'never'],
  ]);
}

export function createRateText(rate: PresentedAccount['createRate']): string {
  if (rate === null) return 'at the rate of the server';
  return `${rate.burst} at once, then ${rate.perMinute} a minute`;
}

function resetText({ resetsAt }: PresentedAccount['quota']): string {
  return resetsAt === null ? '' : `, resets at ${resetsAt}`;
}

function quotaText({ limit, period }: PresentedAccount['quota']): string {
  if (limit === null) return 'unlimited';
  return period === 'none' ? `${limit} prepaid` : `${limit} a ${period}`;
}
