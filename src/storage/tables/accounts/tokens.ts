import { sql } from 'kysely';
import { boundExpiry } from '../../../domain/accounts/token-expiry.ts';
import { tokenOrigin } from '../../../domain/accounts/token-origin.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority, Refusal } from '../../../ports/authority.ts';
import type {
  IssuedToken,
  IssueOptions,
  NewToken,
  Token,
  TokenPage,
} from '../../../ports/store.ts';
import type { TokenRow } from '../../schema/tables.ts';
import { writeAudit } from '../../units/audit.ts';
import { all, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
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
  'issued_via',
  'issuer_account_id',
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

export const selectToken = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('token').selectAll().where('id', '=', parameter.id),
);

const selectSession = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('session').select('token_id').where('id', '=', parameter.id),
);

/** Serializes the issuing of tokens of an account, so that the limit is not exceeded. */
const lockAccount = query<{ id: string }>()((db, parameter, dialect) =>
  db
    .selectFrom('account')
    .select(['name', 'expires_at'])
    .where('id', '=', parameter.id)
    .$if(dialect === 'postgres', (account) => account.forNoKeyUpdate()),
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
    issuer_id: token.issuer?.tokenId ?? null,
    issued_via: token.issuer?.via ?? 'operator',
    issuer_account_id: token.issuer?.accountId ?? null,
  });
  if (inserted === undefined) throw new Error('an inserted token was not returned');
  return tokenFromRow(inserted);
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
  const issuing = issuer && (yield* tokenBehind(issuer));
  const bounded = boundExpiry({
    requested: token.expiresAt,
    issuer:
      issuer?.accountId === accountId ? toDate(issuing?.token?.expires_at ?? null) : undefined,
    account: toDate(account.expires_at),
  });
  if ('outlives' in bounded) return bounded;
  if ((yield* validTokens(accountId, audit.at, maxLive)) >= maxLive) return 'too-many';
  const { expiresAt } = bounded;
  const by = issuing && {
    via: issuing.via,
    accountId: issuer.accountId,
    tokenId: issuing.token?.id,
  };
  const issued = yield* insertTokenOf(accountId, { ...token, expiresAt, issuer: by }, audit);
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

interface IssuingToken {
  readonly via: 'session' | 'token';
  /** The token itself, or that of a session; `undefined` for a session that a link started. */
  readonly token: TokenRow | undefined;
}

function* tokenBehind({ tokenId }: Authority): UnitOfWork<IssuingToken> {
  const token = yield* row(selectToken, { id: tokenId });
  if (token !== undefined) return { via: 'token', token };
  const session = yield* row(selectSession, { id: tokenId });
  const starter = session?.token_id ? yield* row(selectToken, { id: session.token_id }) : undefined;
  return { via: 'session', token: starter };
}

export function* findToken(id: string): UnitOfWork<Token | undefined> {
  const found = yield* row(selectToken, { id });
  return found && tokenFromRow(found);
}

export function* listTokens(
  accountId: string,
  { after = '', limit }: TokenPage,
): UnitOfWork<readonly Token[]> {
  return (yield* rows(selectOfAccount, { accountId, after, limit })).map(tokenFromRow);
}

export function* touchTokens(uses: ReadonlyMap<string, Date>): UnitOfWork<void> {
  const used = [...uses].sort(([one], [other]) => (one < other ? -1 : 1));
  yield* each(
    updateLastUsed,
    used.map(([id, at]) => ({ id, at: at.toISOString() })),
  );
}

export function tokenFromRow(row: TokenRow): Token {
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
    origin: tokenOrigin({
      accountId: row.account_id,
      via: row.issued_via ?? undefined,
      issuerAccountId: row.issuer_account_id ?? undefined,
    }),
  };
}

function toDate(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
