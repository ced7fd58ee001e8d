import { type RawBuilder, sql } from 'kysely';
import type { ReportPage, ReportPosition } from '../../../../ports/misp-store.ts';
import type { PublishedVersion } from '../../../../ports/published-versions.ts';
import { type Query, query } from '../../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';
import { UNEXPIRED } from '../listing/list-queries.ts';
import {
  REPORT_COLUMNS,
  type ReportTuple,
  TOMBSTONE_COLUMNS,
  type TombstoneTuple,
  toExported,
  toWithdrawn,
} from './version-rows.ts';

interface Period {
  serviceId: number;
  from: string;
  /** Exclusive. */
  to: string;
  limit: number;
}

interface Moment {
  serviceId: number;
  at: string;
  /** Exclusive. */
  after: number;
  limit: number;
}

interface Source<Tuple extends readonly unknown[]> {
  /** By time and number. */
  readonly period: Query<Period, Tuple>;
  /** The others of the same time. */
  readonly moment: Query<Moment, Tuple>;
}

const EXPIRED = sql<boolean>`report.status = 'expired'`;

function reportsWhere(condition: RawBuilder<boolean>): Source<ReportTuple> {
  return {
    period: query<Period, ReportTuple>('arrays')((db, parameter) =>
      db
        .selectFrom('report')
        .select(REPORT_COLUMNS)
        .where('report.service_id', '=', parameter.serviceId)
        .where(condition)
        .where('report.reported_at', '>=', parameter.from)
        .where('report.reported_at', '<', parameter.to)
        .orderBy('report.reported_at')
        .orderBy('report.number')
        .limit(parameter.limit),
    ),
    moment: query<Moment, ReportTuple>('arrays')((db, parameter) =>
      db
        .selectFrom('report')
        .select(REPORT_COLUMNS)
        .where('report.service_id', '=', parameter.serviceId)
        .where(condition)
        .where('report.reported_at', '=', parameter.at)
        .where('report.number', '>', parameter.after)
        .orderBy('report.number')
        .limit(parameter.limit),
    ),
  };
}

const UNEXPIRED_REPORTS = reportsWhere(UNEXPIRED);
const EXPIRED_REPORTS = reportsWhere(EXPIRED);

const TOMBSTONES: Source<TombstoneTuple> = {
  period: query<Period, TombstoneTuple>('arrays')((db, parameter) =>
    db
      .selectFrom('tombstone')
      .select(TOMBSTONE_COLUMNS)
      .where('tombstone.service_id', '=', parameter.serviceId)
      .where('tombstone.reported_at', '>=', parameter.from)
      .where('tombstone.reported_at', '<', parameter.to)
      .orderBy('tombstone.reported_at')
      .orderBy('tombstone.number')
      .limit(parameter.limit),
  ),
  moment: query<Moment, TombstoneTuple>('arrays')((db, parameter) =>
    db
      .selectFrom('tombstone')
      .select(TOMBSTONE_COLUMNS)
      .where('tombstone.service_id', '=', parameter.serviceId)
      .where('tombstone.reported_at', '=', parameter.at)
      .where('tombstone.number', '>', parameter.after)
      .orderBy('tombstone.number')
      .limit(parameter.limit),
  ),
};

const selectEvent = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('misp_event')
    .innerJoin('service', 'service.id', 'misp_event.service_id')
    .select([
      'service.id as serviceId',
      'service.slug',
      'misp_event.part',
      'misp_event.first_reported_at as first',
      'misp_event.last_reported_at as last',
    ])
    .where('misp_event.id', '=', parameter.id),
);

export interface EventRequest {
  readonly id: string;
  readonly after: ReportPosition | undefined;
  readonly limit: number;
}

/** Where the reports of an event are. Others of the same time may belong to another part. */
interface EventRange extends Omit<EventRequest, 'id'> {
  readonly serviceId: number;
  readonly first: string;
  readonly last: string;
}

interface Ordered extends ReportPosition {
  readonly dayPart: number;
  readonly version: PublishedVersion;
}

/**
 * A report moves from one source to another when it expires or is deleted, but keeps its time and
 * number. So a page has all entries of all sources up to the first end of a full one.
 */
export function* pageOfEvent({ id, after, limit }: EventRequest): UnitOfWork<ReportPage> {
  const event = yield* row(selectEvent, { id });
  if (event === undefined) return { versions: [], next: undefined };
  const { slug, part } = event;
  const range = { ...event, after, limit };
  const found: Ordered[] = [];
  let end: ReportPosition | undefined;
  for (const source of [UNEXPIRED_REPORTS, EXPIRED_REPORTS]) {
    const read = (yield* readSource(source, range)).map((tuple) =>
      inOrder(toExported(slug, tuple)),
    );
    found.push(...read);
    end = earlier(end, read[limit - 1]);
  }
  const withdrawn = (yield* readSource(TOMBSTONES, range)).map((tuple) =>
    inOrder(toWithdrawn(slug, tuple)),
  );
  found.push(...withdrawn);
  end = earlier(end, withdrawn[limit - 1]);
  const last = end;
  const complete = found.filter(
    (one) => one.dayPart === part && (last === undefined || compare(one, last) <= 0),
  );
  return {
    versions: complete.sort(compare).map(({ version }) => version),
    next: last && { time: last.time, number: last.number },
  };
}

function inOrder(version: PublishedVersion): Ordered {
  const { reportedAt, number, dayPart } = 'report' in version ? version.report : version.withdrawn;
  return { time: reportedAt, number, dayPart, version };
}

function* readSource<Tuple extends readonly unknown[]>(
  { period, moment }: Source<Tuple>,
  { serviceId, first, last, after, limit }: EventRange,
): UnitOfWork<readonly Tuple[]> {
  const to = afterTime(last);
  if (after === undefined) return yield* rows(period, { serviceId, from: first, to, limit });
  const same = yield* rows(moment, { serviceId, at: after.time, after: after.number, limit });
  if (same.length >= limit) return same;
  const from = afterTime(after.time);
  const others = yield* rows(period, { serviceId, from, to, limit: limit - same.length });
  return [...same, ...others];
}

/** Times have milliseconds. */
function afterTime(time: string): string {
  return new Date(Date.parse(time) + 1).toISOString();
}

function earlier(one: ReportPosition | undefined, other: ReportPosition | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  return compare(one, other) <= 0 ? one : other;
}

function compare(one: ReportPosition, other: ReportPosition): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  return one.number - other.number;
}
