import { query } from '../../units/query.ts';
import { each, eachDeferred, type UnitOfWork } from '../../units/unit-of-work.ts';
import type { ReportKeys } from './report-rows.ts';

/** A row of `report_tag`, by which a feed is filtered. Written with the report. */
interface TagRow {
  serviceId: number;
  number: number;
  tag: string;
}

const insertTag = query<TagRow>()((db, parameter) =>
  db
    .insertInto('report_tag')
    .values({ service_id: parameter.serviceId, tag: parameter.tag, number: parameter.number }),
);

const deleteTag = query<TagRow>()((db, parameter) =>
  db
    .deleteFrom('report_tag')
    .where('service_id', '=', parameter.serviceId)
    .where('tag', '=', parameter.tag)
    .where('number', '=', parameter.number),
);

export function* putTags(
  reports: readonly { readonly keys: ReportKeys; readonly tags: readonly string[] }[],
): UnitOfWork<void> {
  yield* eachDeferred(
    insertTag,
    reports.flatMap(({ keys, tags }) => tagRows(keys, tags)),
  );
}

export function* removeTags(keys: ReportKeys, tags: readonly string[]): UnitOfWork<void> {
  yield* each(deleteTag, tagRows(keys, tags));
}

function tagRows({ serviceId, number }: ReportKeys, tags: readonly string[]): readonly TagRow[] {
  return [...new Set(tags)].map((tag) => ({ serviceId, number, tag }));
}
