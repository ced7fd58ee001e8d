import type { Credential } from '../../../domain/accounts/caller.ts';
import { query, row, type UnitOfWork } from '../../unit-of-work.ts';
import { ownedBy } from './accounts.ts';

const selectByDigest = query<{ digest: Uint8Array }>()((db, parameter) =>
  db
    .selectFrom('token')
    .innerJoin('account', 'account.id', 'token.account_id')
    .select([
      'token.id as token_id',
      'token.digest',
      'token.expires_at as token_expires_at',
      'token.revoked_at',
      'account.id as account_id',
      'account.name',
      'account.roles',
      'account.disabled',
      'account.expires_at as account_expires_at',
    ])
    .where('token.digest', '=', parameter.digest),
);

export function* findCredential(digest: Uint8Array): UnitOfWork<Credential | undefined> {
  const found = yield* row(selectByDigest, { digest });
  if (found === undefined) return undefined;
  const expiries = [found.token_expires_at, found.account_expires_at]
    .filter((at) => at !== null)
    .sort();
  return {
    caller: {
      accountId: found.account_id,
      name: found.name,
      roles: JSON.parse(found.roles),
      services: yield* ownedBy(found.account_id),
      tokenId: found.token_id,
    },
    digest: found.digest,
    disabled: found.disabled !== 0,
    revoked: found.revoked_at !== null,
    expiresAt: expiries[0] === undefined ? undefined : new Date(expiries[0]),
  };
}
