import type { LinkPurpose } from '../../domain/accounts/session.ts';

/** No column is generated, so a row is inserted and read in the same form. */
export interface SessionTable {
  id: string;
  account_id: string;
  digest: Uint8Array;
  token_id: string | null;
  created_at: string;
  expires_at: string;
}

export interface SignInLinkTable {
  id: string;
  account_id: string;
  digest: Uint8Array;
  purpose: LinkPurpose;
  created_at: string;
  expires_at: string;
}
