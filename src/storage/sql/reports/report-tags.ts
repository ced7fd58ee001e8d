import { each, query, type UnitOfWork } from '../../unit-of-work.ts';
import type { Keys } from './report-rows.ts';

/** By which tags a report is found in its feed: a row for each of them, written with the report. */
interface Tagged {
  serviceId: number;
  number: number;
  tag: string;
}

const insertTag = query<Tagged>()((db, parameter) =>
  db
    .insertInto('report_tag')
    .values({ service_id: parameter.serviceId, tag: parameter.tag, number: parameter.number }),
);

const deleteTag = query<Tagged>()((db, parameter) =>
  db
    .deleteFrom('report_tag')
    .where('service_id', '=', parameter.serviceId)
    .where('tag', '=', parameter.tag)
    .where('number', '=', parameter.number),
);

/** The tags of new reports. */
export function* putTags(
  reports: readonly { readonly keys: Keys; readonly tags: readonly string[] }[],
): UnitOfWork<void> {
  yield* each(
    insertTag,
    reports.flatMap(({ keys, tags }) => tagged(keys, tags)),
  );
}

export function* removeTags(keys: Keys, tags: readonly string[]): UnitOfWork<void> {
  yield* each(deleteTag, tagged(keys, tags));
}

function tagged({ serviceId, number }: Keys, tags: readonly string[]): readonly Tagged[] {
  return [...new Set(tags)].map((tag) => ({ serviceId, number, tag }));
}
