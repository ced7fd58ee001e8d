import { sql } from 'kysely';
import { isUnpublished } from '../tables/reports/report-walks.ts';
import { row, rows, type UnitOfWork } from '../units/unit-of-work.ts';
import { type Check, forbiddenRows, forbiddenRowsCheck, statement } from './check.ts';

interface FeedCount {
  readonly id: number;
  readonly slug: string;
  readonly oldest: number;
  readonly last: number;
  readonly stored: number;
  readonly inside: number;
}

const countChanges = statement<FeedCount>(
  () => sql`
    select service.id, service.slug, service.oldest_sequence as oldest, service.last_sequence as last,
      (select count(*) from event where event.service_id = service.id) as stored,
      (
        select count(*) from event
        where event.service_id = service.id and event.sequence >= service.oldest_sequence
          and event.sequence <= service.last_sequence
      ) as inside
    from service order by service.slug`,
);

/** The first missing sequence after an existing one. */
const selectGap = statement<{ missing: number }, { id: number; last: number }>(
  (parameter) => sql`
    select one.sequence + 1 as missing from event as one
    where one.service_id = ${parameter.id} and one.sequence < ${parameter.last}
      and not exists (
        select 1 from event as other
        where other.service_id = one.service_id and other.sequence = one.sequence + 1
      )
    order by one.sequence limit 1`,
);

/** Every sequence from the oldest to the last exists. The primary key excludes duplicates. */
export const sequences: Check = {
  name: 'sequences of feeds',
  *part() {
    const feeds = yield* rows(countChanges, {});
    const wrong: string[] = [];
    for (const feed of feeds) {
      const { slug, oldest, last, stored, inside } = feed;
      const expected = last - oldest + 1;
      if (inside !== expected)
        wrong.push(`${slug}: ${expected - inside} changes are missing, ${yield* firstGap(feed)}`);
      if (stored !== inside)
        wrong.push(`${slug}: ${stored - inside} changes are outside of ${oldest} to ${last}`);
    }
    return { examined: feeds.length, wrong, next: undefined };
  },
};

function* firstGap({ id, oldest, last }: FeedCount): UnitOfWork<string> {
  const gap = yield* row(selectGap, { id, last });
  return `the first is ${gap?.missing ?? oldest}`;
}

/** The events, the reports and the tombstones are consistent. */
export const changes = forbiddenRowsCheck('changes and reports', [
  forbiddenRows(
    'report, without its last change',
    () => sql`
      select report.id, report.sequence from report
      inner join service on service.id = report.service_id
      where report.sequence >= service.oldest_sequence and not exists (
        select 1 from event
        where event.service_id = report.service_id and event.sequence = report.sequence
          and event.report_id = report.id and event.type <> 'deleted'
      )`,
  ),
  forbiddenRows(
    'report, without the change that created it',
    () => sql`
      select report.id, report.created_sequence from report
      inner join service on service.id = report.service_id
      where report.created_sequence >= service.oldest_sequence and not exists (
        select 1 from event
        where event.service_id = report.service_id and event.sequence = report.created_sequence
          and event.report_id = report.id and event.type = 'created'
      )`,
  ),
  forbiddenRows(
    'report, older than a change of it',
    () => sql`
      select event.report_id, event.sequence from event
      inner join report on report.id = event.report_id
      where event.sequence > report.sequence or event.service_id <> report.service_id`,
  ),
  forbiddenRows(
    'change, with the number of another report',
    () => sql`
      select event.service_id, event.sequence, event.number from event
      inner join report on report.number = event.number
      where report.id <> event.report_id`,
  ),
  forbiddenRows(
    'change, of a report that neither exists nor was deleted',
    () => sql`
      select event.service_id, event.sequence, event.report_id from event
      where event.type <> 'deleted'
        and not exists (select 1 from report where report.id = event.report_id)
        and not exists (select 1 from tombstone where tombstone.report_id = event.report_id)`,
  ),
  forbiddenRows(
    'deletion, without a tombstone',
    () => sql`
      select event.service_id, event.sequence, event.report_id from event
      where event.type = 'deleted' and not exists (
        select 1 from tombstone
        where tombstone.report_id = event.report_id and tombstone.service_id = event.service_id
          and tombstone.sequence = event.sequence
      )`,
  ),
  forbiddenRows(
    'tombstone, without its deletion',
    () => sql`
      select tombstone.report_id, tombstone.sequence from tombstone
      where not exists (
        select 1 from event
        where event.service_id = tombstone.service_id and event.sequence = tombstone.sequence
          and event.type = 'deleted' and event.report_id = tombstone.report_id
      )`,
  ),
  forbiddenRows(
    'tombstone, of a report that exists',
    () => sql`
      select tombstone.report_id from tombstone
      inner join report on report.id = tombstone.report_id`,
  ),
]);

const versionOrder = (table: 'report' | 'tombstone', id: string, isAdded: string) =>
  forbiddenRows(
    `${table}, added out of the order of the changes`,
    () => sql`
      select ordered.id, ordered.added_at from (
        select ${sql.ref(id)} as id, added_at, sequence,
          lag(added_at) over feed as earlier, lag(sequence) over feed as previous
        from ${sql.table(table)} where ${sql.raw(isAdded)}
        window feed as (partition by service_id order by added_at)
      ) as ordered
      where ordered.earlier = ordered.added_at or ordered.previous > ordered.sequence`,
  );

/** The times at which readers get the versions are unique in each feed, in the order of changes. */
export const additions = forbiddenRowsCheck('order of publication', [
  versionOrder('report', 'id', 'added_at > 0'),
  versionOrder('tombstone', 'report_id', 'added_at is not null'),
  forbiddenRows(
    'tombstone, added at the time of a report',
    () => sql`
      select tombstone.report_id, tombstone.added_at from tombstone
      inner join report
        on report.service_id = tombstone.service_id and report.added_at = tombstone.added_at
      where tombstone.added_at is not null and report.added_at > 0`,
  ),
  forbiddenRows(
    'report, added at no time or after the last change',
    () => sql`
      select report.id, report.added_at from report
      inner join service on service.id = report.service_id
      where report.added_at <= 0 or report.added_at > service.last_added`,
  ),
  forbiddenRows(
    'report, changed after it was added',
    (dialect) => sql`
      select report.id, report.updated_at from report
      where report.added_at > 0 and ${isUnpublished(dialect)}`,
  ),
  forbiddenRows(
    'tombstone, added after the last change',
    () => sql`
      select tombstone.report_id, tombstone.added_at from tombstone
      inner join service on service.id = tombstone.service_id
      where tombstone.added_at > service.last_added`,
  ),
  forbiddenRows(
    'tombstone, without the report that was withdrawn',
    () => sql`
      select tombstone.report_id, tombstone.added_at from tombstone
      where tombstone.added_at is not null and (
        number is null or created_sequence is null or name is null or host is null
        or port is null or sha256 is null or reported_at is null
      )`,
  ),
]);

export const webhookCounts = forbiddenRowsCheck('webhooks of feeds', [
  forbiddenRows(
    'feed, with another number of enabled webhooks than it says',
    () => sql`
      select service.slug, service.webhook_count from service
      where service.webhook_count <> (
        select count(*) from webhook
        where webhook.service_id = service.id and webhook.disabled_at is null
      )`,
  ),
]);
