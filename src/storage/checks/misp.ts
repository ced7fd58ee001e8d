import { sql } from 'kysely';
import { forbiddenRows, forbiddenRowsCheck } from './check.ts';

/** Every day with a report has a stamp, once the changes up to it are in the stamps. */
export const mispDays = forbiddenRowsCheck('days of MISP feeds', [
  forbiddenRows(
    'misp_position, after the last change',
    () => sql`
      select service.slug, misp_position.added_at from misp_position
      inner join service on service.id = misp_position.service_id
      where misp_position.added_at > service.last_added`,
  ),
  forbiddenRows(
    'misp_day, without a position in the changes',
    () => sql`
      select service.slug, misp_day.day from misp_day
      inner join service on service.id = misp_day.service_id
      where not exists (
        select 1 from misp_position where misp_position.service_id = misp_day.service_id
      )`,
  ),
]);
