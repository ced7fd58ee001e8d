import { sql } from 'kysely';
import type { Reanalysis, ReanalysisProgress } from '../../../domain/samples/reanalysis.ts';
import type { ReanalysisTable } from '../../schema/upload-tables.ts';
import { all, query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { MAX_COUNTED_UPLOADS } from './unfinished-uploads.ts';

/**
 * A run that analyses stored files again goes through the files in the order in which they were
 * analysed. It keeps few jobs in the queue: a page is queued when there is room for it. A file that
 * was analysed again has a later time, so it is never in a later page.
 */

/** The most files of a run that wait at once. */
export const MAX_WAITING = 200;

export const REANALYSIS_TASK = 'analyse again';

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

const countRemaining = query<Position & { before: string; limit: number }>()((db, parameter) =>
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

export function* findReanalysis(): UnitOfWork<ReanalysisProgress> {
  const limit = MAX_COUNTED_UPLOADS;
  const run = yield* row(selectRun, {});
  const waiting = (yield* row(countWaiting, { limit }))?.count ?? 0;
  if (run === undefined) return { run, waiting, remaining: 0 };
  const { position_at, position_sha256, analysed_before: before } = run;
  const counted = yield* row(countRemaining, { position_at, position_sha256, before, limit });
  return { run: fromRow(run), waiting, remaining: counted?.count ?? 0 };
}

function fromRow(run: ReanalysisTable): Reanalysis {
  return {
    state: run.state,
    before: new Date(run.analysed_before),
    startedBy: run.started_by,
    startedAt: new Date(run.started_at),
    endedAt: run.ended_at === null ? undefined : new Date(run.ended_at),
    queued: run.queued,
  };
}
