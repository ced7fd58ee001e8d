import { type RawBuilder, sql } from 'kysely';
import type { C2RejectionRow } from '../../schema/tables.ts';
import { all, ONE, query } from '../../units/query.ts';
import { each, type UnitOfWork } from '../../units/unit-of-work.ts';
import { C2_KEY_COLUMNS, type C2Key, hasC2Key } from './c2-key.ts';

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

export const selectRejection = query<C2Key>()((db, parameter) =>
  db
    .selectFrom('c2_rejection')
    .select(['reports', 'sequence', 'pending_below'])
    .where(hasC2Key(parameter)),
);

export const VALUES = ['reports', 'sequence', 'pending_below'] as const;

export const putRejection = query<C2RejectionRow>()((db, parameter) =>
  db
    .insertInto('c2_rejection')
    .values(all(parameter, [...C2_KEY_COLUMNS, ...VALUES]))
    .onConflict((conflict) =>
      conflict.columns(C2_KEY_COLUMNS).doUpdateSet({
        reports: sql<number>`excluded.reports`,
        sequence: sql<number>`excluded.sequence`,
        pending_below: sql<number | null>`excluded.pending_below`,
      }),
    ),
);

export const deleteRejection = query<C2Key>()((db, parameter) =>
  db.deleteFrom('c2_rejection').where(hasC2Key(parameter)),
);

export const selectPending = query()((db) =>
  db
    .selectFrom('c2_rejection')
    .innerJoin('service', 'service.id', 'c2_rejection.service_id')
    .select(['c2_rejection.service_id', 'c2_rejection.host', 'c2_rejection.port', 'service.slug'])
    .where('c2_rejection.pending_below', 'is not', null)
    .orderBy('c2_rejection.service_id')
    .orderBy('c2_rejection.host')
    .orderBy('c2_rejection.port')
    .limit(ONE),
);

export const selectBelow = query<C2Key & { below: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['id', 'number', 'status', 'status_reason as statusReason', 'expires_at as expiresAt'])
    .where(hasC2Key(parameter))
    .where('number', '<', parameter.below)
    .orderBy('number', 'desc')
    .limit(parameter.limit),
);
