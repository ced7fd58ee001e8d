import type { Act } from '../../ports/act.ts';
import type { NewToken, Token } from '../../ports/store.ts';
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

const selectOfAccount = query<{ accountId: string }>()((db, hole) =>
  db.selectFrom('token').selectAll().where('account_id', '=', hole.accountId).orderBy('id'),
);

const selectToken = query<{ id: string }>()((db, hole) =>
  db.selectFrom('token').selectAll().where('id', '=', hole.id),
);

const selectAccountName = query<{ id: string }>()((db, hole) =>
  db.selectFrom('account').select('name').where('id', '=', hole.id),
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
): UnitOfWork<Token | 'unknown-account'> {
  const account = yield* row(selectAccountName, { id: accountId });
  if (account === undefined) return 'unknown-account';
  const issued = yield* insertTokenOf(accountId, token, act);
  yield* note(act, 'token.issue', account.name, { id: token.id, label: token.label });
  return issued;
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

export function* listTokens(accountId: string): UnitOfWork<readonly Token[]> {
  return (yield* rows(selectOfAccount, { accountId })).map(fromRow);
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
