import type { Caller, Credential } from '../../../domain/accounts/caller.ts';
import { query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { createRateOf, ownedBy } from './accounts.ts';
import { selectTokenState, tokenStateOf } from './session-grants.ts';

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
      'account.creates_per_minute',
      'account.creates_burst',
      'account.disabled',
      'account.expires_at as account_expires_at',
    ])
    .where('token.digest', '=', parameter.digest),
);

const selectSessionByDigest = query<{ digest: Uint8Array }>()((db, parameter) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select([
      'session.id as session_id',
      'session.token_id',
      'session.digest',
      'session.expires_at as session_expires_at',
      'account.id as account_id',
      'account.name',
      'account.roles',
      'account.creates_per_minute',
      'account.creates_burst',
      'account.disabled',
      'account.expires_at as account_expires_at',
    ])
    .where('session.digest', '=', parameter.digest),
);

/** The prefixes of the secrets differ, so no digest is that of a token and of a session. */
export function* findCredential(digest: Uint8Array): UnitOfWork<Credential | undefined> {
  return (yield* findTokenCredential(digest)) ?? (yield* findSessionCredential(digest));
}

function* findTokenCredential(digest: Uint8Array): UnitOfWork<Credential | undefined> {
  const found = yield* row(selectByDigest, { digest });
  if (found === undefined) return undefined;
  return {
    caller: { ...(yield* accountOf(found)), tokenId: found.token_id },
    digest: found.digest,
    disabled: found.disabled !== 0,
    revoked: found.revoked_at !== null,
    expiresAt: earliest([found.token_expires_at, found.account_expires_at]),
  };
}

function* findSessionCredential(digest: Uint8Array): UnitOfWork<Credential | undefined> {
  const found = yield* row(selectSessionByDigest, { digest });
  if (found === undefined) return undefined;
  const { token_id: tokenId, session_expires_at, account_expires_at } = found;
  const token =
    tokenId === null ? undefined : tokenStateOf(yield* row(selectTokenState, { id: tokenId }));
  const expiresAt =
    earliest([session_expires_at, token?.expires_at ?? null, account_expires_at]) ??
    new Date(session_expires_at);
  return {
    caller: {
      ...(yield* accountOf(found)),
      tokenId: found.session_id,
      session: {
        via: tokenId === null ? 'link' : 'token',
        tokenId: tokenId ?? undefined,
        expiresAt,
      },
    },
    digest: found.digest,
    disabled: found.disabled !== 0,
    revoked: token?.isRevoked ?? false,
    expiresAt,
  };
}

function* accountOf(found: {
  readonly account_id: string;
  readonly name: string;
  readonly roles: string;
  readonly creates_per_minute: number | null;
  readonly creates_burst: number | null;
}): UnitOfWork<Pick<Caller, 'accountId' | 'name' | 'roles' | 'services' | 'createRate'>> {
  const createRate = createRateOf(found);
  return {
    accountId: found.account_id,
    name: found.name,
    roles: JSON.parse(found.roles),
    services: yield* ownedBy(found.account_id),
    ...(createRate !== undefined && { createRate }),
  };
}

function earliest(times: readonly (string | null)[]): Date | undefined {
  const [first] = times.filter((at) => at !== null).sort();
  return first === undefined ? undefined : new Date(first);
}
