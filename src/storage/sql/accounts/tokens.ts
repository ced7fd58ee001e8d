import { sql } from 'kysely';
import { boundExpiry } from '../../../domain/accounts/token-expiry.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority, Refusal } from '../../../ports/authority.ts';
import type {
  IssuedToken,
  IssueOptions,
  NewToken,
  Token,
  TokenPage,
} from '../../../ports/store.ts';
import type { TokenRow } from '../../tables.ts';
import { all, each, lockAccounts, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { writeAudit } from './audit.ts';
import { checkRights } from './permission.ts';

const COLUMNS = [
  'id',
  'account_id',
  'digest',
  'hint',
  'label',
  'created_at',
  'expires_at',
  'issuer_id',
] as const;

const insertToken = query<Pick<TokenRow, (typeof COLUMNS)[number]>>()((db, parameter) =>
  db.insertInto('token').values(all(parameter, COLUMNS)).returningAll(),
);

const selectOfAccount = query<{ accountId: string; after: string; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom('token')
      .selectAll()
      .where('account_id', '=', parameter.accountId)
      .where('id', '>', parameter.after)
      .orderBy('id')
      .limit(parameter.limit),
);

/**
 * Each half reads at most `limit` rows, however many tokens were revoked or have expired. The order
 * is that of the index of valid tokens: no other index has it.
 */
const countValid = query<{ accountId: string; now: string; limit: number }>()((db, parameter) =>
  db.selectNoFrom((from) => [
    from
      .selectFrom(
        from
          .selectFrom('token')
          .select('id')
          .where('account_id', '=', parameter.accountId)
          .where('revoked_at', 'is', null)
          .where('expires_at', 'is', null)
          .orderBy('expires_at')
          .limit(parameter.limit)
          .as('endless'),
      )
      .select(sql<number>`count(*)`.as('count'))
      .as('endless'),
    from
      .selectFrom(
        from
          .selectFrom('token')
          .select('id')
          .where('account_id', '=', parameter.accountId)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', parameter.now)
          .orderBy('expires_at')
          .limit(parameter.limit)
          .as('limited'),
      )
      .select(sql<number>`count(*)`.as('count'))
      .as('limited'),
  ]),
);

const selectToken = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('token').selectAll().where('id', '=', parameter.id),
);

const selectSession = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('session').select('token_id').where('id', '=', parameter.id),
);

const selectAccount = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('account').select(['name', 'expires_at']).where('id', '=', parameter.id),
);

const selectIssued = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('token').selectAll().where('issuer_id', '=', parameter.id),
);

/** Serializes the issuing of tokens of an account, so that the limit is not exceeded. */
const lockAccount = query<{ id: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('account')
    .select(['name', 'expires_at'])
    .where('id', '=', parameter.id)
    .$if(dialect === 'postgres', (account) => account.forNoKeyUpdate()),
);

const updateRevoked = query<{ id: string; at: string }>()((db, parameter) =>
  db
    .updateTable('token')
    .set({ revoked_at: parameter.at })
    .where('id', '=', parameter.id)
    .where('revoked_at', 'is', null),
);

const updateLastUsed = query<{ id: string; at: string }>()((db, parameter) =>
  db.updateTable('token').set({ last_used_at: parameter.at }).where('id', '=', parameter.id),
);

export function* insertTokenOf(
  accountId: string,
  token: NewToken,
  audit: AuditContext,
): UnitOfWork<Token> {
  const inserted = yield* row(insertToken, {
    id: token.id,
    account_id: accountId,
    digest: token.digest,
    hint: token.hint,
    label: token.label,
    created_at: audit.at.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    issuer_id: token.issuerId ?? null,
  });
  if (inserted === undefined) throw new Error('an inserted token was not returned');
  return fromRow(inserted);
}

export function* issueToken(
  accountId: string,
  token: NewToken,
  audit: AuditContext,
  { issuer, maxLive = Number.MAX_SAFE_INTEGER }: IssueOptions,
): UnitOfWork<IssuedToken> {
  const refusal = issuer && (yield* refusalOf(accountId, issuer, audit));
  if (refusal !== undefined) return { refusal };
  const account = yield* row(lockAccount, { id: accountId });
  if (account === undefined) return 'unknown-account';
  const issuingToken = issuer && (yield* tokenBehind(issuer));
  const bounded = boundExpiry({
    requested: token.expiresAt,
    issuer: issuer?.accountId === accountId ? toDate(issuingToken?.expires_at ?? null) : undefined,
    account: toDate(account.expires_at),
  });
  if ('outlives' in bounded) return bounded;
  if ((yield* validTokens(accountId, audit.at, maxLive)) >= maxLive) return 'too-many';
  const { expiresAt } = bounded;
  const issuerId = issuingToken?.id;
  const issued = yield* insertTokenOf(accountId, { ...token, expiresAt, issuerId }, audit);
  yield* writeAudit(audit, 'token.issue', account.name, { id: token.id, label: token.label });
  return issued;
}

/** The number of valid tokens, exact up to the limit. */
function* validTokens(accountId: string, at: Date, limit: number): UnitOfWork<number> {
  const counted = yield* row(countValid, { accountId, now: at.toISOString(), limit });
  return (counted?.endless ?? 0) + (counted?.limited ?? 0);
}

/** Only an administrator issues tokens of another account. */
function* refusalOf(
  accountId: string,
  issuer: Authority,
  { at: now }: AuditContext,
): UnitOfWork<Refusal | undefined> {
  const requirement = issuer.accountId === accountId ? { now } : ({ role: 'admin', now } as const);
  return yield* checkRights(issuer, requirement);
}

/** The token itself, or that of a session; `undefined` for a session that a link started. */
function* tokenBehind({ tokenId }: Authority): UnitOfWork<TokenRow | undefined> {
  const token = yield* row(selectToken, { id: tokenId });
  if (token !== undefined) return token;
  const session = yield* row(selectSession, { id: tokenId });
  return session?.token_id ? yield* row(selectToken, { id: session.token_id }) : undefined;
}

interface Revocation {
  readonly id: string;
  readonly ofAccount: string | undefined;
  /** Also those that were issued with it. */
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
  const others = issued ? yield* validIssuedWith(token, ofAccount) : [];
  if (token.revoked_at !== null && others.length === 0) return fromRow(token);
  for (const one of [token, ...others]) yield* rows(updateRevoked, { id: one.id, at });
  const account = yield* row(selectAccount, { id: token.account_id });
  const { label } = token;
  const also = issued && { issued: others.length };
  yield* writeAudit(audit, 'token.revoke', account?.name ?? token.account_id, {
    id,
    label,
    ...also,
  });
  return fromRow({ ...token, revoked_at: token.revoked_at ?? at });
}

/**
 * The valid tokens issued with this one, transitively. Locks their accounts, so that no more are
 * issued.
 */
function* validIssuedWith(
  root: TokenRow,
  ofAccount: string | undefined,
): UnitOfWork<readonly TokenRow[]> {
  const issued = yield* issuedWith(root, ofAccount);
  const accounts = new Set(issued.map((token) => token.account_id));
  accounts.delete(root.account_id);
  yield* lockAccounts([...accounts]);
  const found = yield* issuedWith(root, ofAccount);
  return found.filter((token) => token.revoked_at === null);
}

function* issuedWith(
  root: TokenRow,
  ofAccount: string | undefined,
): UnitOfWork<readonly TokenRow[]> {
  const found: TokenRow[] = [];
  let level: readonly TokenRow[] = [root];
  while (level.length > 0) {
    const next = yield* each(
      selectIssued,
      level.map(({ id }) => ({ id })),
    );
    level = next.flat().filter((one) => ofAccount === undefined || one.account_id === ofAccount);
    found.push(...level);
  }
  return found;
}

export function* findToken(id: string): UnitOfWork<Token | undefined> {
  const found = yield* row(selectToken, { id });
  return found && fromRow(found);
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
  return {
    id: row.id,
    accountId: row.account_id,
    hint: row.hint,
    label: row.label,
    createdAt: new Date(row.created_at),
    expiresAt: toDate(row.expires_at),
    lastUsedAt: toDate(row.last_used_at),
    revokedAt: toDate(row.revoked_at),
    issuerId: row.issuer_id ?? undefined,
  };
}

function toDate(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
