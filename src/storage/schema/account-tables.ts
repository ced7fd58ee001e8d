import type { Generated } from 'kysely';
import type { IssuedVia } from '../../domain/accounts/token-origin.ts';

export interface AccountTable {
  id: string;
  name: string;
  roles: string;
  quota_limit: number | null;
  quota_period: string;
  quota_used: Generated<number>;
  quota_window: Generated<string>;
  quota_extra: Generated<number>;
  quota_from_extra: Generated<number>;
  usage_day: Generated<string>;
  usage_units: Generated<number>;
  closed_day: Generated<string>;
  closed_units: Generated<number>;
  itemised_after: Generated<string>;
  creates_per_minute: number | null;
  creates_burst: number | null;
  disabled: Generated<number>;
  expires_at: string | null;
  created_at: string;
  /** Null if the account is older than this column and none was added since. */
  name_key: Generated<string | null>;
}

export interface AccountChargeTable {
  account_id: string;
  day: string;
  /** Empty for a session that a sign-in link started. */
  token_id: string;
  operation: string;
  units: number;
  first_at: string;
  last_at: string;
}

export interface TokenTable {
  id: string;
  account_id: string;
  digest: Uint8Array;
  hint: string;
  label: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  issuer_id: string | null;
  /** This and the account are null if the token is older than these columns. */
  issued_via: IssuedVia | null;
  issuer_account_id: string | null;
}

export interface AuditTable {
  id: Generated<number>;
  at: string;
  actor: string;
  action: string;
  subject: string;
  detail: string;
}
