import { sql } from 'kysely';
import { REPORTS_OF_PART } from '../../domain/reports/day-part.ts';
import type { Dialect } from '../units/query.ts';
import { forbiddenRows, forbiddenRowsCheck } from './check.ts';

const dayOf = (dialect: Dialect) =>
  dialect === 'sqlite'
    ? sql`substr(report.reported_at, 1, 10)`
    : sql`to_char(report.reported_at at time zone 'UTC', 'YYYY-MM-DD')`;

/** Stamps follow the changes, and reports are in the parts that their days have. */
export const mispEvents = forbiddenRowsCheck('events of MISP feeds', [
  forbiddenRows(
    'misp_position, after the last change',
    () => sql`
      select service.slug, misp_position.added_at from misp_position
      inner join service on service.id = misp_position.service_id
      where misp_position.added_at > service.last_added`,
  ),
  forbiddenRows(
    'misp_event, without a position in the changes',
    () => sql`
      select service.slug, misp_event.day from misp_event
      inner join service on service.id = misp_event.service_id
      where not exists (
        select 1 from misp_position where misp_position.service_id = misp_event.service_id
      )`,
  ),
  forbiddenRows(
    'report, in a part that its day does not have',
    (dialect) => sql`
      select report.id, report.day_part from report
      where report.day_part > 1 and not exists (
        select 1 from report_day
        where report_day.service_id = report.service_id and report_day.day = ${dayOf(dialect)}
          and report_day.reports > (report.day_part - 1) * ${sql.lit(REPORTS_OF_PART)}
      )`,
  ),
]);
