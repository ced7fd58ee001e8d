import { query, rows, type UnitOfWork } from '../unit-of-work.ts';
import type { Keys } from './report-rows.ts';

/** By which tags a report is found in its feed: a row for each of them, written with the report. */
interface Tagged {
  serviceId: number;
  number: number;
  tag: string;
}

const insertTag = query<Tagged>()((db, hole) =>
  db
    .insertInto('report_tag')
    .values({ service_id: hole.serviceId, tag: hole.tag, number: hole.number }),
);

const deleteTag = query<Tagged>()((db, hole) =>
  db
    .deleteFrom('report_tag')
    .where('service_id', '=', hole.serviceId)
    .where('tag', '=', hole.tag)
    .where('number', '=', hole.number),
);

export function* putTags({ serviceId, number }: Keys, tags: readonly string[]): UnitOfWork<void> {
  for (const tag of new Set(tags)) yield* rows(insertTag, { serviceId, number, tag });
}

export function* removeTags(
  { serviceId, number }: Keys,
  tags: readonly string[],
): UnitOfWork<void> {
  for (const tag of tags) yield* rows(deleteTag, { serviceId, number, tag });
}
