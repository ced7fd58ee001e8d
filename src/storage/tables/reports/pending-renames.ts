import { sql } from 'kysely';
import { all, ONE, query } from '../../units/query.ts';

export const selectPending = query()((db) =>
  db.selectFrom('pending_rename').selectAll().orderBy('sha256').limit(ONE),
);

export const selectPendingOf = query<{ sha256: string }>()((db, parameter) =>
  db.selectFrom('pending_rename').selectAll().where('sha256', '=', parameter.sha256),
);

export const putPending = query<PendingReports>()((db, parameter) =>
  db
    .insertInto('pending_rename')
    .values(all(parameter, ['sha256', 'service_id', 'number']))
    .onConflict((conflict) =>
      conflict.column('sha256').doUpdateSet({
        service_id: sql<number>`excluded.service_id`,
        number: sql<number>`excluded.number`,
      }),
    ),
);

export const deletePending = query<{ sha256: string }>()((db, parameter) =>
  db.deleteFrom('pending_rename').where('sha256', '=', parameter.sha256),
);

export interface PendingReports {
  readonly sha256: string;
  readonly service_id: number;
  readonly number: number;
}
