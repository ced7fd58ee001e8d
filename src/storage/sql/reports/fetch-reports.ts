import { each, inParallel, query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { textRows, toJsonArray } from '../json-arrays.ts';
import type { ReportKey } from './reports.ts';

const selectServiceId = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

type BodyTuple = readonly [id: string, serviceId: number, body: string];

/**
 * On SQLite a statement for each report takes a third longer: it binds values, builds an object and
 * finds the service each time.
 */
const selectBodies = query<{ ids: string }, BodyTuple>('arrays')((db, parameter, dialect) =>
  db
    .selectFrom(textRows(parameter.ids, dialect).as('wanted'))
    .crossJoin('report')
    .select(['report.id', 'report.service_id', 'report.body'])
    .whereRef('report.id', '=', 'wanted.value'),
);

/** A statement cannot pause, and on a cold disk each report takes two reads. */
const MAX_PER_STATEMENT = 32;

/** The serialized reports of concurrent fetches, in their order. */
export function* fetchReports(
  keys: readonly ReportKey[],
): UnitOfWork<readonly (string | undefined)[]> {
  const slugs = [...new Set(keys.map(({ service }) => service))];
  const [serviceIds, ...found] = yield* inParallel(
    each(
      selectServiceId,
      slugs.map((slug) => ({ slug })),
    ),
    ...chunksOf(keys).map((ids) => rows(selectBodies, { ids: toJsonArray(ids) })),
  );
  const reports = new Map(found.flat().map((report) => [report[0], report]));
  return keys.map(({ service, id }) => {
    const report = reports.get(id);
    const serviceId = serviceIds[slugs.indexOf(service)]?.[0]?.id;
    return report?.[1] === serviceId ? report?.[2] : undefined;
  });
}

function chunksOf(keys: readonly ReportKey[]): readonly (readonly string[])[] {
  const ids = [...new Set(keys.map(({ id }) => id))];
  const chunks: (readonly string[])[] = [];
  for (let start = 0; start < ids.length; start += MAX_PER_STATEMENT)
    chunks.push(ids.slice(start, start + MAX_PER_STATEMENT));
  return chunks;
}
