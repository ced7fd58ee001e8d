import type { Authority } from '../../../ports/authority.ts';
import { query } from '../../units/query.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';

/** The rights of a token or a session, as a transaction checks them. */
export interface GrantRow {
  readonly revoked_at: string | null;
  readonly token_expires_at: string | null;
  readonly roles: string;
  readonly disabled: number;
  readonly account_expires_at: string | null;
}

const selectSessionGrant = query<{ tokenId: string; accountId: string }>()((db, parameter) =>
  db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select([
      'session.token_id',
      'session.expires_at as session_expires_at',
      'account.roles',
      'account.disabled',
      'account.expires_at as account_expires_at',
    ])
    .where('session.id', '=', parameter.tokenId)
    .where('session.account_id', '=', parameter.accountId),
);

/** A query of its own: for an outer join, a planner may read all tokens. */
export const selectTokenState = query<{ id: string }>()((db, parameter) =>
  db.selectFrom('token').select(['expires_at', 'revoked_at']).where('id', '=', parameter.id),
);

interface TokenState {
  readonly expires_at: string | null;
  readonly isRevoked: boolean;
}

/** The state of the token that started a session. A session whose token is absent has ended. */
export function tokenStateOf(
  found: { readonly expires_at: string | null; readonly revoked_at: string | null } | undefined,
): TokenState {
  return {
    expires_at: found?.expires_at ?? null,
    isRevoked: found === undefined || found.revoked_at !== null,
  };
}

/** The rights of the sessions among these authorities, by their ids. */
export function* sessionGrants(
  authorities: readonly Authority[],
): UnitOfWork<ReadonlyMap<string, GrantRow>> {
  const found = yield* each(
    selectSessionGrant,
    authorities.map(({ tokenId, accountId }) => ({ tokenId, accountId })),
  );
  const sessions = authorities.flatMap(({ tokenId: id }, index) => {
    const grant = found[index]?.[0];
    return grant === undefined ? [] : [{ id, grant }];
  });
  const startedBy = [...new Set(sessions.flatMap(({ grant }) => grant.token_id ?? []))];
  const tokens = yield* each(
    selectTokenState,
    startedBy.map((id) => ({ id })),
  );
  const states = new Map(startedBy.map((id, index) => [id, tokenStateOf(tokens[index]?.[0])]));
  return new Map(
    sessions.map(({ id, grant: { token_id, session_expires_at, ...account } }) => {
      const token = token_id === null ? undefined : states.get(token_id);
      const ends = [session_expires_at, token?.expires_at ?? null].filter((at) => at !== null);
      const grant: GrantRow = {
        ...account,
        revoked_at: token?.isRevoked === true ? session_expires_at : null,
        token_expires_at: ends.sort()[0] ?? null,
      };
      return [id, grant];
    }),
  );
}
