import { lockTask } from '../../../units/locks.ts';
import { query } from '../../../units/query.ts';
import { rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { type Feed, feedsOf, readRecords } from './feed-log.ts';

const deleteEvents = query<{ serviceId: number; before: number }>()((db, parameter) =>
  db
    .deleteFrom('event')
    .where('service_id', '=', parameter.serviceId)
    .where('sequence', '<', parameter.before),
);

const deleteTombstone = query<{ id: string }>()((db, parameter) =>
  db.deleteFrom('tombstone').where('report_id', '=', parameter.id),
);

const moveOldest = query<{ serviceId: number; oldest: number }>()((db, parameter) =>
  db
    .updateTable('service')
    .set({ oldest_sequence: parameter.oldest })
    .where('id', '=', parameter.serviceId),
);

/** Deletes the oldest changes of each feed, up to the first that is not older than `before`. */
export function* deleteOldChanges(before: Date, limit: number): UnitOfWork<number> {
  let deleted = 0;
  yield* lockTask('forget changes');
  for (const feed of yield* feedsOf(undefined)) {
    if (deleted >= limit) break;
    deleted += yield* deleteOldChangesOf(feed, before, limit - deleted);
  }
  return deleted;
}

function* deleteOldChangesOf(feed: Feed, before: Date, limit: number): UnitOfWork<number> {
  const { id, oldest } = feed;
  // In most feeds the oldest change is recent, so only that row is read.
  const [first] = yield* readRecords(feed, oldest - 1, 1);
  if (first === undefined || first.at >= before) return 0;
  const found = yield* readRecords(feed, oldest - 1, limit);
  const firstKept = found.findIndex(({ at }) => at >= before);
  const old = firstKept === -1 ? found : found.slice(0, firstKept);
  const last = old.at(-1);
  if (last === undefined) return 0;
  for (const { type, reportId } of old) {
    if (type === 'deleted') yield* rows(deleteTombstone, { id: reportId });
  }
  yield* rows(deleteEvents, { serviceId: id, before: last.sequence + 1 });
  yield* rows(moveOldest, { serviceId: id, oldest: last.sequence + 1 });
  return old.length;
}
