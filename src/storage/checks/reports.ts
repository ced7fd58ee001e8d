import { sql } from 'kysely';
import { MAX_OF_RARE_HOST } from '../tables/reports/host-reports.ts';
import type { Dialect } from '../units/query.ts';
import { row, rows, type UnitOfWork } from '../units/unit-of-work.ts';
import { type Check, forbiddenRows, forbiddenRowsCheck, statement } from './check.ts';

const PAGE = 5000;

interface NumberedReport {
  readonly number: number;
  readonly id: string;
  readonly service_id: number;
  readonly created_sequence: number;
  readonly sequence: number;
}

const selectNumbered = statement<NumberedReport, { after: number; limit: number }>(
  (parameter) => sql`
    select number, id, service_id, created_sequence, sequence from report
    where number > ${parameter.after} order by number limit ${parameter.limit}`,
);

const selectLastNumber = statement<{ last: number }>((_, dialect) =>
  dialect === 'sqlite'
    ? sql`select last_report as last from installation`
    : sql`select last_value as last from report_number`,
);

const selectHighest = statement<{ number: number | null }>(
  () => sql`select max(number) as number from report`,
);

/** The last number checked, and the last `created_sequence` of each feed up to it. */
interface Progress {
  readonly number: number;
  readonly feeds: Readonly<Record<number, number>>;
}

/** In each feed numbers increase with the sequence, and no number will be used again. */
export const numbers: Check = {
  name: 'numbers of reports',
  *part(after) {
    const { number, feeds }: Progress =
      after === undefined ? { number: 0, feeds: {} } : JSON.parse(String(after));
    const found = yield* rows(selectNumbered, { after: number, limit: PAGE });
    const wrong = after === undefined ? [...(yield* reusedNumbers())] : [];
    const created = { ...feeds };
    for (const report of found) {
      if ((created[report.service_id] ?? 0) >= report.created_sequence)
        wrong.push(`report ${report.id}: number ${report.number} is out of order`);
      if (report.sequence < report.created_sequence)
        wrong.push(`report ${report.id}: it was changed before it was created`);
      created[report.service_id] = report.created_sequence;
    }
    const last = found.at(-1);
    const progress: Progress | undefined = last && { number: last.number, feeds: created };
    return { examined: found.length, wrong, next: progress && JSON.stringify(progress) };
  },
};

function* reusedNumbers(): UnitOfWork<readonly string[]> {
  const last = (yield* row(selectLastNumber, {}))?.last ?? 0;
  const highest = (yield* row(selectHighest, {}))?.number ?? 0;
  return highest > last ? [`report number ${highest}: it would be used again`] : [];
}

/** The tags of a report as rows. */
const tagsOf = (dialect: Dialect) =>
  dialect === 'sqlite'
    ? sql`json_each(report.tags) as listed`
    : sql`lateral json_array_elements_text(report.tags::json) as listed (value)`;

export const tags = forbiddenRowsCheck('tags of reports', [
  forbiddenRows(
    'tag of a report, by which it is not found',
    (dialect) => sql`
      select report.id, listed.value from report cross join ${tagsOf(dialect)}
      where not exists (
        select 1 from report_tag
        where report_tag.service_id = report.service_id and report_tag.tag = listed.value
          and report_tag.number = report.number
      )`,
  ),
  forbiddenRows(
    'tag that its report does not have',
    (dialect) => sql`
      select report_tag.number, report_tag.tag from report_tag
      where exists (select 1 from report where report.number = report_tag.number)
        and not exists (
          select 1 from report cross join ${tagsOf(dialect)}
          where report.number = report_tag.number and listed.value = report_tag.tag
        )`,
  ),
]);

/** A frequent host has all of its reports in `host_report`, a rare one none. */
export const hosts = forbiddenRowsCheck('hosts of reports', [
  forbiddenRows(
    'host, with other reports than it is listed with',
    () => sql`
      select counted.service_id, counted.host from (
        select service_id, host, count(*) as reports from report group by service_id, host
      ) as counted
      where (select count(*) from host_report as listed
          where listed.service_id = counted.service_id and listed.host = counted.host)
        <> case when counted.reports > ${sql.lit(MAX_OF_RARE_HOST)} then counted.reports else 0 end`,
  ),
]);

/** The counts of reports by C2 and reporter, which exist from the second report of a C2 on. */
export const sightings = forbiddenRowsCheck('counts of C2 addresses', [
  forbiddenRows(
    'reporter of a C2, with another number of reports than counted',
    () => sql`
      select counted.service_id, counted.host, counted.port, counted.reporter_id, counted.reports
      from c2_reporter as counted
      where counted.reports <> (
        select count(*) from report
        where report.service_id = counted.service_id and report.host = counted.host
          and report.port = counted.port and report.reporter_id = counted.reporter_id
      )`,
  ),
  forbiddenRows(
    'report, that is not counted for its C2',
    () => sql`
      select report.id, report.host, report.port from report
      where exists (
        select 1 from report as other
        where other.service_id = report.service_id and other.host = report.host
          and other.port = report.port and other.number <> report.number
      ) and not exists (
        select 1 from c2_reporter as counted
        where counted.service_id = report.service_id and counted.host = report.host
          and counted.port = report.port and counted.reporter_id = report.reporter_id
      )`,
  ),
]);
