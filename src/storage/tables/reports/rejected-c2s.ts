import { type RawBuilder, sql } from 'kysely';
import { each, query, type UnitOfWork } from '../../units/unit-of-work.ts';
import type { C2Key } from './c2-key.ts';

/**
 * The sequence of the change by which the desk of the feed rejected the C2 of `report`; null if no
 * rejection stands. Readers look it up, so it takes effect at once for all reports of the C2.
 */
export const REJECTION_SEQUENCE: RawBuilder<number | null> = sql`(
    select rejection.sequence from c2_rejection as rejection
    where rejection.service_id = report.service_id and rejection.host = report.host
      and rejection.port = report.port and rejection.reports > 0
  )`;

/** Whether the C2 is rejected: 1, or null. */
export function isRejectedC2({ service_id, host, port }: C2Key): RawBuilder<number | null> {
  return sql`(
    select 1 from c2_rejection as rejection
    where rejection.service_id = ${service_id} and rejection.host = ${host}
      and rejection.port = ${port} and rejection.reports > 0
  )`;
}

const selectBySlug = query<{ slug: string; host: string; port: number }>()((db, parameter) =>
  db
    .selectFrom('c2_rejection')
    .select('sequence')
    // A join would make PostgreSQL search the index by the feed alone.
    .where(
      'service_id',
      '=',
      db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
    )
    .where('host', '=', parameter.host)
    .where('port', '=', parameter.port)
    .where('reports', '>', 0),
);

/** Whether each C2 is rejected in its feed. */
export function* areRejected(
  c2s: readonly { readonly slug: string; readonly host: string; readonly port: number }[],
): UnitOfWork<readonly boolean[]> {
  return (yield* each(selectBySlug, c2s)).map((found) => found.length > 0);
}
