import { sql } from 'kysely';
import type { ReanalysisTable } from '../../schema/upload-tables.ts';
import { all, query } from '../../units/query.ts';

const COLUMNS = [
  'id',
  'state',
  'analysed_before',
  'position_at',
  'position_sha256',
  'queued',
  'started_by',
  'started_at',
  'ended_at',
] as const satisfies readonly (keyof ReanalysisTable)[];

export const selectRun = query()((db) => db.selectFrom('reanalysis').select(COLUMNS));

export const upsertRun = query<ReanalysisTable>()((db, parameter) =>
  db
    .insertInto('reanalysis')
    .values(all(parameter, COLUMNS))
    .onConflict((conflict) => conflict.column('id').doUpdateSet(all(parameter, COLUMNS))),
);

export const endRun = query<Pick<ReanalysisTable, 'state' | 'ended_at'>>()((db, parameter) =>
  db.updateTable('reanalysis').set(all(parameter, ['state', 'ended_at'])),
);

type Position = Pick<ReanalysisTable, 'position_at' | 'position_sha256'>;

export const moveRun = query<Position & { count: number }>()((db, parameter) =>
  db.updateTable('reanalysis').set((column) => ({
    position_at: parameter.position_at,
    position_sha256: parameter.position_sha256,
    queued: column('queued', '+', parameter.count),
  })),
);

/** The condition of the partial index, in its words: otherwise the index is not used. */
const IS_DONE = sql<boolean>`state = 'done'`;

export const selectPage = query<Position & { before: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('upload')
    .select(['sha256', 'ended_at'])
    .where(IS_DONE)
    .where(
      sql<boolean>`(ended_at, sha256) > (${parameter.position_at}, ${parameter.position_sha256})`,
    )
    .where('ended_at', '<', parameter.before)
    .orderBy('ended_at')
    .orderBy('sha256')
    .limit(parameter.limit),
);

export const countRemaining = query<Position & { before: string; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('upload')
          .select('ended_at')
          .where(IS_DONE)
          .where(
            sql<boolean>`(ended_at, sha256) > (${parameter.position_at}, ${parameter.position_sha256})`,
          )
          .where('ended_at', '<', parameter.before)
          .orderBy('ended_at')
          .limit(parameter.limit)
          .as('counted'),
      )
      .select(sql<number>`count(*)`.as('count')),
);

export const countWaiting = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('upload')
        .select('sha256')
        .where(sql<boolean>`reanalysis = 'queued'`)
        .orderBy('sha256')
        .limit(parameter.limit)
        .as('counted'),
    )
    .select(sql<number>`count(*)`.as('count')),
);

export const selectWaiting = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom('upload')
    .select(['sha256', 'uploaded_by'])
    .where(sql<boolean>`reanalysis = 'queued'`)
    .orderBy('sha256')
    .limit(parameter.limit),
);
