import type { StatusTarget } from '../../../../ports/feed-store.ts';
import type { ReportRow } from '../../../schema/tables.ts';
import { type READ, selectById, selectByNumbers } from '../../../tables/reports/desk-targets.ts';
import { listNumbers } from '../../../tables/reports/listing/list-reports.ts';
import { toJsonArray } from '../../../units/json-arrays.ts';
import { each, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';

/** What the desk reads of a report before it changes the status. */
export type DeskRow = Readonly<Pick<ReportRow, (typeof READ)[number]>>;

interface Targets {
  readonly found: readonly DeskRow[];
  readonly absent: readonly string[];
  readonly next: string | undefined;
}

/** The reports of the ids, or the next ones that match the filter. */
export function* findTargets(target: StatusTarget, serviceId: number): UnitOfWork<Targets> {
  const { service: scope, ids, filter = {}, after, limit } = target;
  if (ids === undefined) {
    const page = yield* listNumbers({ scope, filter, order: 'asc', after, limit });
    const found = yield* rows(selectByNumbers, { numbers: toJsonArray(page.numbers) });
    return { found, absent: [], next: page.next };
  }
  const wanted = [...new Set(ids)];
  const found = (yield* each(
    selectById,
    wanted.map((id) => ({ serviceId, id })),
  )).flat();
  const present = new Set(found.map(({ id }) => id));
  return { found, absent: wanted.filter((id) => !present.has(id)), next: undefined };
}
