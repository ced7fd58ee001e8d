import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { DESK_STATUSES } from '../../domain/reports/desk.ts';
import type { ReportFilter } from '../../domain/reports/feed-filter.ts';
import { foldName } from '../../domain/reports/spellings.ts';
import type { SnapshotQuery } from '../../ports/feed-snapshots.ts';
import type { Tables } from '../schema/tables.ts';
import { isOfFile } from '../tables/reports/file-key.ts';
import {
  domainSuffix,
  IS_MISROUTED,
  isInDomain,
  isNamed,
  UNEXPIRED,
} from '../tables/reports/listing/list-queries.ts';
import { REJECTION_SEQUENCE } from '../tables/reports/rejected-c2s.ts';
import type { Dialect } from '../units/query.ts';
import { unindexedText } from '../units/unindexed-columns.ts';
import { type Column, columnsOf } from './snapshot-rows.ts';

interface StatementOptions {
  readonly db: Kysely<Tables>;
  readonly dialect: Dialect;
  /** `undefined`: all feeds. */
  readonly serviceId: number | undefined;
}

type Condition = RawBuilder<unknown>;

const ORDERS: Readonly<Record<SnapshotQuery['order'], readonly string[]>> = {
  creation: ['number'],
  address: ['host', 'port', 'number'],
  file: ['sha256', 'number'],
};

/**
 * The statement that reads the reports of a snapshot. Unlike other statements it is compiled for
 * each use, from the conditions that the filter has, and reads as many rows as match.
 */
export function snapshotStatement(query: SnapshotQuery, options: StatementOptions): CompiledQuery {
  const { db, serviceId } = options;
  const { filter, order } = query;
  const conditions = [...scopeOf(serviceId, filter), ...conditionsOf(filter, options)];
  const isWholeFeed = serviceId !== undefined && order === 'creation' && !isSelective(filter);
  // Each range of the index by status is in the order of creation, so they are merged unsorted.
  const ranges = isWholeFeed
    ? statusesOf(query).map((status) => [sql`report.status = ${sql.lit(status)}`])
    : [statusCondition(query)];
  const columns = sql.join(columnsOf(query).map(expressionOf));
  const selects = ranges.map(
    (range) => sql`select ${columns} from report where ${and([...range, ...conditions])}`,
  );
  const inOrder = sql.join(ORDERS[order].map((name) => sql.ref(name)));
  return sql`${sql.join(selects, sql` union all `)} order by ${inOrder}`.compile(db);
}

function expressionOf(column: Column): RawBuilder<unknown> {
  return column === 'rejection_sequence'
    ? sql`${REJECTION_SEQUENCE} as ${sql.ref(column)}`
    : sql.ref(`report.${column}`);
}

function and(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
}

/** Whether an index answers a condition better than one by status. */
function isSelective(filter: ReportFilter): boolean {
  const { sha256, host, tags = [], reporter, name, createdAfter, createdBefore } = filter;
  const indexed = [sha256, host, tags[0], reporter, name, createdAfter, createdBefore];
  return indexed.some((value) => value !== undefined);
}

function statusesOf({ filter: { status }, hasExpired }: SnapshotQuery): readonly string[] {
  if (status !== undefined) return [status];
  return hasExpired ? [...DESK_STATUSES, 'expired'] : DESK_STATUSES;
}

function statusCondition({ filter, hasExpired }: SnapshotQuery): readonly Condition[] {
  const { status } = filter;
  if (status === undefined) return hasExpired ? [] : [UNEXPIRED];
  // An index by status would be preferred to a more selective one.
  const column = isSelective(filter) ? unindexedText('report.status') : sql.ref('report.status');
  return [sql`${column} = ${sql.lit(status)}`];
}

/** All indexes but that of files begin with the feed. */
function scopeOf(serviceId: number | undefined, filter: ReportFilter): readonly Condition[] {
  if (serviceId !== undefined) return [sql`report.service_id = ${serviceId}`];
  const usesIndex = filter.sha256 === undefined && isSelective(filter);
  return usesIndex ? [sql`report.service_id in (select id from service)`] : [];
}

function conditionsOf(
  filter: ReportFilter,
  { dialect, serviceId }: StatementOptions,
): readonly Condition[] {
  const { sha256, host, port, reporter, name, minConfidence, createdAfter, createdBefore } = filter;
  const { confirmation, domain, misrouted } = filter;
  const when = <Value>(value: Value | undefined, condition: (value: Value) => Condition) =>
    value === undefined ? [] : [condition(value)];
  return [
    ...when(sha256, (value) => isOfFile(value, dialect)),
    ...when(host, (value) => sql`report.host = ${value}`),
    ...when(domain, (value) => isInDomain(domainSuffix(value))),
    ...when(port, (value) => sql`report.port = ${value}`),
    ...tagConditions(filter, serviceId),
    ...when(reporter, (value) => sql`report.reported_by = ${value}`),
    ...when(name, (value) => hasName(value, { dialect, serviceId })),
    ...when(minConfidence, (value) => sql`report.confidence >= ${value}`),
    ...when(confirmation, (value) => sql`report.confirmation = ${value}`),
    ...when(misrouted, (value) => sql`${IS_MISROUTED} = ${sql.lit(Number(value))}`),
    ...when(createdAfter, (value) => sql`report.reported_at >= ${value.toISOString()}`),
    ...when(createdBefore, (value) => sql`report.reported_at < ${value.toISOString()}`),
  ];
}

/** Read from the index of names alone, since spellings are not adjacent in it. */
function hasName(
  name: string,
  { dialect, serviceId }: Pick<StatementOptions, 'dialect' | 'serviceId'>,
): Condition {
  return sql`report.number in (
    select named.number from report as named
    where named.service_id ${ofFeeds(serviceId)} and ${isNamed(foldName(name), dialect, 'named')})`;
}

function ofFeeds(serviceId: number | undefined): Condition {
  return serviceId === undefined ? sql`in (select id from service)` : sql`= ${serviceId}`;
}

/** Most tags select fewer reports than a feed has, so those of the first are read by its index. */
function tagConditions(
  { tags = [], sha256, host }: ReportFilter,
  serviceId: number | undefined,
): readonly Condition[] {
  const isFirst = sha256 === undefined && host === undefined;
  return [...new Set(tags)].map((tag, index) =>
    index === 0 && isFirst
      ? sql`report.number in (
          select report_tag.number from report_tag
          where report_tag.service_id ${ofFeeds(serviceId)} and report_tag.tag = ${tag})`
      : sql`exists (
          select 1 from report_tag
          where report_tag.service_id = report.service_id and report_tag.tag = ${tag}
            and report_tag.number = report.number)`,
  );
}
