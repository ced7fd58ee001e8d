import { type RawBuilder, sql } from 'kysely';
import { UNRESOLVED_STATUSES } from '../../../domain/reports/desk.ts';
import { type C2Key, hasC2Key } from './c2-key.ts';

/**
 * A new sighting renews at most this many other reports of the C2; `expiry.ts` renews older ones.
 */
const MAX_RENEWED_SIBLINGS = 100;

export interface Sibling {
  readonly id: string;
  readonly number: number;
  readonly expires_at: string;
}

/** The newest reports of a C2 whose status is not final, as a table. */
export function newestUnresolved(key: C2Key): RawBuilder<Sibling> {
  const unresolved = sql.join(UNRESOLVED_STATUSES.map((status) => sql.lit(status)));
  // One more, because a new report is among the newest.
  return sql<Sibling>`(
    select id, number, expires_at from (
      select id, number, status, expires_at from report
      where ${hasC2Key(key)} order by number desc limit ${sql.lit(MAX_RENEWED_SIBLINGS + 1)}
    ) as newest
    where status in (${unresolved})
  )`;
}
