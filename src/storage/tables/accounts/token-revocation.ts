import { sql } from 'kysely';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Token } from '../../../ports/store.ts';
import type { TokenRow } from '../../schema/tables.ts';
import { writeAudit } from '../../units/audit.ts';
import { lockAccounts } from '../../units/locks.ts';
import { query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { selectToken, tokenFromRow } from './tokens.ts';

const selectAccount = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('account').select(['name', 'expires_at']).where('id', '=', parameter.id),
);

const selectIssued = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('token').selectAll().where('issuer_id', '=', parameter.id),
);

const selectIssuedInSession = query<{ accountId: string }>()((db, parameter) =>
  db
    .selectFrom('token')
    .selectAll()
    .where('issuer_account_id', '=', parameter.accountId)
    // A literal, as in the partial index: a parameter would not match it.
    .where(sql<boolean>`issued_via = 'session'`),
);

const updateRevoked = query<{ id: string; at: string }>()((db, parameter) =>
  db
    .updateTable('token')
    // Not a condition: without statistics, PostgreSQL would scan the index of valid tokens.
    .set({ revoked_at: sql<string>`coalesce(revoked_at, ${parameter.at})` })
    .where('id', '=', parameter.id),
);

interface Revocation {
  readonly id: string;
  readonly ofAccount: string | undefined;
  /** Whether the tokens that were issued with it are revoked too. */
  readonly issued: boolean;
}

export function* revokeToken(
  { id, ofAccount, issued }: Revocation,
  audit: AuditContext,
): UnitOfWork<Token | 'absent'> {
  const owner = yield* row(selectToken, { id });
  // Waits for writes that use the token.
  if (owner !== undefined) yield* lockAccounts([owner.account_id]);
  const token = yield* row(selectToken, { id });
  if (token === undefined || (ofAccount !== undefined && token.account_id !== ofAccount))
    return 'absent';
  const at = audit.at.toISOString();
  const others = issued ? yield* validIssuedWith([token], token.account_id, ofAccount) : [];
  if (token.revoked_at !== null && others.length === 0) return tokenFromRow(token);
  for (const one of [token, ...others]) yield* rows(updateRevoked, { id: one.id, at });
  const account = yield* row(selectAccount, { id: token.account_id });
  const { label } = token;
  const also = issued && { issued: others.length };
  yield* writeAudit(audit, 'token.revoke', account?.name ?? token.account_id, {
    id,
    label,
    ...also,
  });
  return tokenFromRow({ ...token, revoked_at: token.revoked_at ?? at });
}

/**
 * Revokes the tokens that were issued in sessions of an account, in those that have ended too, and
 * the tokens issued with them. The account is locked. Returns the number of tokens.
 */
export function* revokeIssuedInSessions(
  { accountId, ofAccount }: { readonly accountId: string; readonly ofAccount: string | undefined },
  audit: AuditContext,
): UnitOfWork<number> {
  const roots = (yield* rows(selectIssuedInSession, { accountId })).filter(isOf(ofAccount));
  const issued = yield* validIssuedWith(roots, accountId, ofAccount);
  const valid = [...roots.filter((token) => token.revoked_at === null), ...issued];
  const at = audit.at.toISOString();
  yield* each(
    updateRevoked,
    valid.map(({ id }) => ({ id, at })),
  );
  return valid.length;
}

/**
 * The valid tokens issued with these, transitively. Locks their accounts, so that no more are
 * issued; that of the roots is locked.
 */
function* validIssuedWith(
  roots: readonly TokenRow[],
  locked: string,
  ofAccount: string | undefined,
): UnitOfWork<readonly TokenRow[]> {
  const issued = yield* issuedWith(roots, ofAccount);
  const accounts = new Set([...roots, ...issued].map((token) => token.account_id));
  accounts.delete(locked);
  yield* lockAccounts([...accounts]);
  const found = yield* issuedWith(roots, ofAccount);
  return found.filter((token) => token.revoked_at === null);
}

function* issuedWith(
  roots: readonly TokenRow[],
  ofAccount: string | undefined,
): UnitOfWork<readonly TokenRow[]> {
  // A token may be both issued in a session and with another one of these.
  const found = new Map(roots.map((token) => [token.id, token]));
  let level = roots;
  while (level.length > 0) {
    const next = yield* each(
      selectIssued,
      level.map(({ id }) => ({ id })),
    );
    level = next.flat().filter((one) => isOf(ofAccount)(one) && !found.has(one.id));
    for (const token of level) found.set(token.id, token);
  }
  return [...found.values()].slice(roots.length);
}

function isOf(account: string | undefined): (token: TokenRow) => boolean {
  return (token) => account === undefined || token.account_id === account;
}
