import type { Account } from '../../../../src/client/wire.ts';
import { UNCLAIMED } from '../../text/unclaimed.ts';
import { numberOrText } from './form-values.ts';

export type AccountRole = Account['roles'][number];

/** An account as its form has it. */
export interface AccountDraft {
  readonly name: string;
  readonly roles: readonly string[];
  readonly services: readonly string[];
  readonly limit: string;
  readonly period: Account['quota']['period'];
  /** Reports a minute, and at once; both empty for the rate of the server. */
  readonly createsPerMinute: string;
  readonly createsBurst: string;
  /** YYYY-MM-DD, or empty. */
  readonly expires: string;
  readonly topUp: string;
}

export const ROLES: readonly { readonly value: AccountRole; readonly label: string }[] = [
  { value: 'researcher', label: 'researcher: reports and uploads' },
  { value: 'notices', label: 'notices: answers the reports of unclaimed addresses' },
  { value: 'admin', label: 'admin: everything on this page, and that too' },
];

export const PERIODS = [
  { value: 'day', label: 'each UTC day' },
  { value: 'month', label: 'each month' },
  { value: 'none', label: 'prepaid, never renewed' },
];

const DEFAULT_LIMIT = '1000';

export function draftOf(account: Account | undefined): AccountDraft {
  const limit = account === undefined ? DEFAULT_LIMIT : String(account.quota.limit ?? '');
  return {
    name: account?.name ?? '',
    roles: account?.roles ?? ['researcher'],
    // Roles decide who owns the built-in one.
    services: (account?.services ?? []).filter((slug) => slug !== UNCLAIMED),
    limit,
    period: account?.quota.period ?? 'day',
    createsPerMinute: String(account?.createRate?.perMinute ?? ''),
    createsBurst: String(account?.createRate?.burst ?? ''),
    expires: account?.expiresAt?.slice(0, 10) ?? '',
    topUp: '',
  };
}

export function bodyOf(draft: AccountDraft, account: Account | undefined) {
  return {
    roles: draft.roles as readonly AccountRole[],
    services: draft.services,
    quota: { limit: numberOrText(draft.limit) ?? null, period: draft.period },
    ...createRateOf(draft, account),
    // The time of the day is kept unless the day changes.
    ...(draft.expires !== draftOf(account).expires && {
      expiresAt: draft.expires === '' ? null : `${draft.expires}T00:00:00Z`,
    }),
  };
}

/** Sent only if it changes. */
function createRateOf(draft: AccountDraft, account: Account | undefined) {
  const { createsPerMinute, createsBurst } = draft;
  const before = draftOf(account);
  if (createsPerMinute === before.createsPerMinute && createsBurst === before.createsBurst)
    return {};
  const isDefault = createsPerMinute.trim() + createsBurst.trim() === '';
  // The server refuses a rate with an empty half, and says what it must be.
  const half = (text: string) => numberOrText(text) ?? 0;
  return {
    createRate: isDefault ? null : { perMinute: half(createsPerMinute), burst: half(createsBurst) },
  };
}
