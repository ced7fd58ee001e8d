import { sql } from 'kysely';
import type { SampleRow } from '../../schema/tables.ts';
import { all, query } from '../../units/query.ts';

const COLUMNS = [
  'id',
  'sha256',
  'blake3',
  'sha512',
  'family',
  'analysed_at',
  'body',
] as const satisfies readonly (keyof SampleRow)[];

/** The last of them on SQLite, which has a single writer; all of them on PostgreSQL. */
export const nextIds = query<{ count: number }>()((db, parameter, dialect) =>
  dialect === 'sqlite'
    ? db
        .selectFrom('sample')
        .select(sql<number>`coalesce(max(id), 0) + ${parameter.count}`.as('id'))
    : db
        .selectFrom(
          sql<{ series: number }>`generate_series(1, ${parameter.count}::bigint)`.as('series'),
        )
        .select(sql<number>`nextval('sample_id_seq')`.as('id')),
);

export const insertSample = query<SampleRow>()((db, parameter) =>
  db.insertInto('sample').values(all(parameter, COLUMNS)),
);

export const insertHash = query<HashRow>()((db, parameter) =>
  db.insertInto('sample_hash').values(all(parameter, ['id', 'sample_id'])),
);

export const updateSample = query<Pick<SampleRow, 'id' | 'family' | 'analysed_at' | 'body'>>()(
  (db, parameter) =>
    db
      .updateTable('sample')
      .set(all(parameter, ['family', 'analysed_at', 'body']))
      .where('id', '=', parameter.id),
);

export const selectTombstone = query<{ sha256: Uint8Array }>()((db, parameter) =>
  db.selectFrom('sample_tombstone').select('reason').where('sha256', '=', parameter.sha256),
);

export interface HashRow {
  readonly id: number;
  readonly sample_id: number;
}
