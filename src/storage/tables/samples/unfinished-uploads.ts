import { sql } from 'kysely';
import type { UnfinishedUploads } from '../../../ports/sample-store.ts';
import { query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Counting more would only take longer. 10 000 take some 3 ms. */
export const MAX_COUNTED_UPLOADS = 10_000;

/** The condition of the partial index, in its words: otherwise the index is not used. */
const IS_UNFINISHED = sql<boolean>`state in ('queued', 'running')`;

const selectUnfinished = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('upload')
        .select('uploaded_at')
        .where(IS_UNFINISHED)
        .orderBy('uploaded_at')
        .limit(parameter.limit)
        .as('unfinished'),
    )
    .select([
      sql<number>`count(*)`.as('count'),
      sql<string | null>`min(unfinished.uploaded_at)`.as('oldest'),
    ]),
);

const countRunning = query<{ limit: number }>()((db, parameter) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('upload')
        .select('uploaded_at')
        .where(sql<boolean>`state = 'running'`)
        .orderBy('uploaded_at')
        .limit(parameter.limit)
        .as('running'),
    )
    .select(sql<number>`count(*)`.as('count')),
);

export function* findUnfinishedUploads(): UnitOfWork<UnfinishedUploads> {
  const limit = MAX_COUNTED_UPLOADS;
  const { count = 0, oldest = null } = (yield* row(selectUnfinished, { limit })) ?? {};
  if (oldest === null) return { count, running: 0, oldestUploadedAt: undefined };
  const running = (yield* row(countRunning, { limit }))?.count ?? 0;
  return { count, running: Math.min(running, count), oldestUploadedAt: new Date(oldest) };
}
