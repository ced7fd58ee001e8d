import { sql } from 'kysely';
import type { UnfinishedUploads } from '../../../ports/sample-store.ts';
import { query, row, type UnitOfWork } from '../../unit-of-work.ts';

/** Counting more would only take longer. 10 000 take some 3 ms. */
const MAX_COUNTED_UPLOADS = 10_000;

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

export function* findUnfinishedUploads(): UnitOfWork<UnfinishedUploads> {
  const { count = 0, oldest = null } =
    (yield* row(selectUnfinished, { limit: MAX_COUNTED_UPLOADS })) ?? {};
  return { count, oldestUploadedAt: oldest === null ? undefined : new Date(oldest) };
}
