import { sql } from 'kysely';
import type { Act } from '../../ports/act.ts';
import type { NewToken, Token, TokenPage } from '../../ports/store.ts';
import type { TokenRow } from '../tables.ts';
import { all, each, lockAccounts, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { note } from './audit.ts';

const COLUMNS = [
  'id',
  'account_id',
  'digest',
  'hint',
  'label',
  'created_at',
  'expires_at',
] as const;

const insertToken = query<Pick<TokenRow, (typeof COLUMNS)[number]>>()((db, hole) =>
  db.insertInto('token').values(all(hole, COLUMNS)).returningAll(),
);

const selectOfAccount = query<{ accountId: string; after: string; limit: number }>()((db, hole) =>
  db
    .selectFrom('token')
    .selectAll()
    .where('account_id', '=', hole.accountId)
    .where('id', '>', hole.after)
    .orderBy('id')
    .limit(hole.limit),
);

/** Each half reads no more rows than the limit, however many tokens were revoked or have expired. */
const countLive = query<{ accountId: string; now: string; limit: number }>()((db, hole) =>
  db.selectNoFrom((from) => [
    from
      .selectFrom(
        from
          .selectFrom('token')
          .select('id')
          .where('account_id', '=', hole.accountId)
          .where('revoked_at', 'is', null)
          .where('expires_at', 'is', null)
          .limit(hole.limit)
          .as('endless'),
      )
      .select(sql<number>`count(*)`.as('count'))
      .as('endless'),
    from
      .selectFrom(
        from
          .selectFrom('token')
          .select('id')
          .where('account_id', '=', hole.accountId)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', hole.now)
          .limit(hole.limit)
          .as('limited'),
      )
      .select(sql<number>`count(*)`.as('count'))
      .as('limited'),
  ]),
);

const selectToken = query<{ id: string }>()((db, hole) =>
  db.selectFrom('token').selectAll().where('id', '=', hole.id),
);

const selectAccountName = query<{ id: string }>()((db, hole) =>
  db.selectFrom('account').select('name').where('id', '=', hole.id),
);

/** Those who issue tokens for one account wait for each other: none is issued beyond the limit. */
const lockAccount = query<{ id: string }>()((db, hole, dialect) =>
  db
    .selectFrom('account')
    .select('name')
    .where('id', '=', hole.id)
    .$if(dialect === 'postgres', (account) => account.forNoKeyUpdate()),
);

const updateRevoked = query<{ id: string; at: string }>()((db, hole) =>
  db
    .updateTable('token')
    .set({ revoked_at: hole.at })
    .where('id', '=', hole.id)
    .where('revoked_at', 'is', null),
);

const updateLastUsed = query<{ id: string; at: string }>()((db, hole) =>
  db.updateTable('token').set({ last_used_at: hole.at }).where('id', '=', hole.id),
);

export function* insertTokenOf(accountId: string, token: NewToken, act: Act): UnitOfWork<Token> {
  const inserted = yield* row(insertToken, {
    id: token.id,
    account_id: accountId,
    digest: token.digest,
    hint: token.hint,
    label: token.label,
    created_at: act.at.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
  });
  if (inserted === undefined) throw new Error('an inserted token was not returned');
  return fromRow(inserted);
}

export function* issueToken(
  accountId: string,
  token: NewToken,
  act: Act,
  mostLive: number,
): UnitOfWork<Token | 'unknown-account' | 'too-many'> {
  const account = yield* row(lockAccount, { id: accountId });
  if (account === undefined) return 'unknown-account';
  if ((yield* liveTokens(accountId, act.at, mostLive)) >= mostLive) return 'too-many';
  const issued = yield* insertTokenOf(accountId, token, act);
  yield* note(act, 'token.issue', account.name, { id: token.id, label: token.label });
  return issued;
}

/** Exact up to the limit. */
function* liveTokens(accountId: string, at: Date, limit: number): UnitOfWork<number> {
  const counted = yield* row(countLive, { accountId, now: at.toISOString(), limit });
  return (counted?.endless ?? 0) + (counted?.limited ?? 0);
}

export function* revokeToken(
  id: string,
  ofAccount: string | undefined,
  act: Act,
): UnitOfWork<Token | 'absent'> {
  const owner = yield* row(selectToken, { id });
  // Waits for what is being written with it.
  if (owner !== undefined) yield* lockAccounts([owner.account_id]);
  const token = yield* row(selectToken, { id });
  if (token === undefined || (ofAccount !== undefined && token.account_id !== ofAccount))
    return 'absent';
  if (token.revoked_at !== null) return fromRow(token);
  const at = act.at.toISOString();
  yield* rows(updateRevoked, { id, at });
  const account = yield* row(selectAccountName, { id: token.account_id });
  yield* note(act, 'token.revoke', account?.name ?? token.account_id, { id, label: token.label });
  return fromRow({ ...token, revoked_at: at });
}

export function* listTokens(
  accountId: string,
  { after = '', limit }: TokenPage,
): UnitOfWork<readonly Token[]> {
  return (yield* rows(selectOfAccount, { accountId, after, limit })).map(fromRow);
}

export function* touchTokens(uses: ReadonlyMap<string, Date>): UnitOfWork<void> {
  const used = [...uses].sort(([one], [other]) => (one < other ? -1 : 1));
  yield* each(
    updateLastUsed,
    used.map(([id, at]) => ({ id, at: at.toISOString() })),
  );
}

function fromRow(row: TokenRow): Token {
  const date = (text: string | null) => (text === null ? undefined : new Date(text));
  return {
    id: row.id,
    accountId: row.account_id,
    hint: row.hint,
    label: row.label,
    createdAt: new Date(row.created_at),
    expiresAt: date(row.expires_at),
    lastUsedAt: date(row.last_used_at),
    revokedAt: date(row.revoked_at),
  };
}
