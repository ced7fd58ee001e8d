import type { Account } from '../../../../src/client/wire.ts';
import { numberOrText } from './form-values.ts';

export type AccountRole = Account['roles'][number];

/** An account as its form has it. */
export interface AccountDraft {
  readonly name: string;
  readonly roles: readonly string[];
  readonly services: readonly string[];
  readonly limit: string;
  readonly period: Account['quota']['period'];
  /** YYYY-MM-DD, or empty. */
  readonly expires: string;
  readonly topUp: string;
}

export const ROLES: readonly { readonly value: AccountRole; readonly label: string }[] = [
  { value: 'researcher', label: 'researcher: reports and uploads' },
  { value: 'admin', label: 'admin: everything on this page' },
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
    services: account?.services ?? [],
    limit,
    period: account?.quota.period ?? 'day',
    expires: account?.expiresAt?.slice(0, 10) ?? '',
    topUp: '',
  };
}

export function bodyOf(draft: AccountDraft, account: Account | undefined) {
  return {
    roles: draft.roles as readonly AccountRole[],
    services: draft.services,
    quota: { limit: numberOrText(draft.limit) ?? null, period: draft.period },
    // The time of the day is kept unless the day changes.
    ...(draft.expires !== draftOf(account).expires && {
      expiresAt: draft.expires === '' ? null : `${draft.expires}T00:00:00Z`,
    }),
  };
}
