import { sql } from 'kysely';
import { hostKey } from '../../domain/search-query.ts';
import { backFillPosition } from '../units/back-fill.ts';
import { textRows, toJsonArray } from '../units/json-arrays.ts';
import { rows } from '../units/unit-of-work.ts';
import { forbiddenRows, forbiddenRowsCheck, pagedCheck, statement } from './check.ts';

const PAGE = 5000;

/** Rows that a back-fill has not reached yet may be missing from the index. */
const reached = (name: string, column: string) => sql`
  ${sql.ref(column)} <= coalesce(
    (select position from back_fill where name = ${sql.lit(name)}), ${sql.lit(Number.MAX_SAFE_INTEGER)}
  )`;

export const searchWords = forbiddenRowsCheck('words of the search', [
  forbiddenRows(
    'name of a report, by which it is not found',
    () => sql`
      select report.id, report.name from report
      where ${reached('search_report', 'report.number')} and not exists (
        select 1 from search_term
        where search_term.service_id = report.service_id and search_term.text = report.name
      )`,
  ),
  forbiddenRows(
    'tag of reports, by which they are not found',
    () => sql`
      select report_tag.number, report_tag.tag from report_tag
      where ${reached('search_report', 'report_tag.number')} and not exists (
        select 1 from search_term
        where search_term.service_id = report_tag.service_id and search_term.text = report_tag.tag
      )`,
  ),
  forbiddenRows(
    'name or tag, whose words are missing',
    () => sql`
      select search_term.id, search_term.text from search_term
      where not exists (select 1 from term_text where term_text.rowid = search_term.id)`,
  ),
  forbiddenRows(
    'file, whose words are missing',
    () => sql`
      select fuzzy_hash.id, fuzzy_hash.file_name from fuzzy_hash
      where ${reached('search_sample', 'fuzzy_hash.id')}
        and not exists (select 1 from sample_text where sample_text.rowid = fuzzy_hash.id)`,
  ),
  forbiddenRows(
    'file, without a fuzzy hash',
    () => sql`
      select sample.sha256 from sample
      where ${reached('fuzzy_hash', 'sample.id')}
        and not exists (select 1 from fuzzy_hash where fuzzy_hash.id = sample.id)`,
  ),
]);

interface HostRow {
  readonly number: number;
  readonly id: string;
  readonly service_id: number;
  readonly host: string;
}

const selectHosts = statement<HostRow, { after: number; limit: number }>(
  (parameter) => sql`
    select number, id, service_id, host from report
    where number > ${parameter.after} order by number limit ${parameter.limit}`,
);

const selectUnknown = statement<{ reversed: string }, { serviceId: number; hosts: string }>(
  (parameter, dialect) => sql`
    select wanted.value as reversed from ${textRows(parameter.hosts, dialect)} as wanted
    where not exists (
      select 1 from search_host
      where search_host.reversed = wanted.value and search_host.service_id = ${parameter.serviceId}
    )`,
);

export const searchHosts = pagedCheck('hosts of the search', {
  page: (after) => rows(selectHosts, { after: Number(after ?? 0), limit: PAGE }),
  keyOf: ({ number }) => number,
  *findingsIn(found) {
    const until = (yield* backFillPosition('search_report')) ?? Number.MAX_SAFE_INTEGER;
    const wrong: string[] = [];
    const indexed = found.filter(({ number }) => number <= until);
    for (const [serviceId, reports] of Map.groupBy(indexed, (report) => report.service_id)) {
      const hosts = toJsonArray([...new Set(reports.map(({ host }) => hostKey(host)))]);
      const unknown = new Set(
        (yield* rows(selectUnknown, { serviceId, hosts })).map(({ reversed }) => reversed),
      );
      for (const { id, host } of reports)
        if (unknown.has(hostKey(host))) wrong.push(`report ${id}: it is not found by ${host}`);
    }
    return wrong;
  },
});
