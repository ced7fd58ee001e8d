import type { RepairedPage } from '../../../ports/published-versions.ts';
import type { Serializers } from '../../../ports/store.ts';
import { fromRow } from '../../tables/reports/report-rows.ts';
import { selectPage, selectUnpublished } from '../../tables/reports/report-walks.ts';
import { StatisticCounts } from '../../tables/statistics/counters.ts';
import { lockFeeds } from '../../units/locks.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { writeUpdates } from './update-reports.ts';

/** Counts the reports of the next page that `publishAgain` would publish. */
export function* countUnpublished(after: number, limit: number): UnitOfWork<RepairedPage> {
  const page = yield* rows(selectPage, { after, limit });
  const count = page.filter(({ is_unpublished }) => is_unpublished === 1).length;
  return { count, next: page.at(-1)?.number };
}

/** Publishes them as a change of their feeds, which leaves the reports as they are. */
export function* publishAgain(
  { after, limit, at }: { readonly after: number; readonly limit: number; readonly at: Date },
  serializers: Serializers,
): UnitOfWork<RepairedPage> {
  const page = yield* rows(selectPage, { after, limit });
  const next = page.at(-1)?.number;
  const unpublished = page.filter(({ is_unpublished }) => is_unpublished === 1);
  if (unpublished.length === 0) return { count: 0, next };
  yield* lockFeeds(unpublished.map(({ slug }) => slug));
  // Read again: before the feeds were locked, another transaction may have published them.
  const numbers = unpublished.map(({ number }) => ({ number }));
  const found = (yield* each(selectUnpublished, numbers)).flat();
  const updates = found.map((row) => {
    const before = fromRow(row);
    return { number: row.number, before, after: { ...before, updatedAt: at } };
  });
  const counts = new StatisticCounts();
  yield* writeUpdates(updates, { at, serializers, counts });
  yield* counts.write();
  return { count: updates.length, next };
}
