import { all, query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const selectToken = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service_challenge').select('token').where('slug', '=', parameter.slug),
);

const insertToken = query<{ slug: string; token: string; created_at: string }>()((db, parameter) =>
  db
    .insertInto('service_challenge')
    .values(all(parameter, ['slug', 'token', 'created_at']))
    .onConflict((conflict) => conflict.column('slug').doNothing()),
);

export function* findChallengeToken(slug: string): UnitOfWork<string | undefined> {
  return (yield* row(selectToken, { slug }))?.token;
}

/** Stores the token unless there is one. Returns the stored token. */
export function* storeTokenIfAbsent(slug: string, token: string, now: Date): UnitOfWork<string> {
  yield* rows(insertToken, { slug, token, created_at: now.toISOString() });
  return (yield* findChallengeToken(slug)) ?? token;
}
