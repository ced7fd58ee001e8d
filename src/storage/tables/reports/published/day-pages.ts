import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../../../domain/duration.ts';
import type { DayPage, DayPosition } from '../../../../ports/misp-store.ts';
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

const selectId = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select('id').where('slug', '=', parameter.slug),
);

export interface DayRequest {
  readonly slug: string;
  readonly day: string;
  readonly after: DayPosition | undefined;
  readonly limit: number;
}

interface Ordered extends DayPosition {
  readonly version: PublishedVersion;
}

/**
 * A report moves from one source to another when it expires or is deleted, but keeps its time and
 * number. So a page has all entries of all sources up to the first end of a full one.
 */
export function* pageOfDay(request: DayRequest): UnitOfWork<DayPage> {
  const { slug, limit } = request;
  const service = yield* row(selectId, { slug });
  if (service === undefined) return { versions: [], next: undefined };
  const found: Ordered[] = [];
  let end: DayPosition | undefined;
  for (const source of [UNEXPIRED_REPORTS, EXPIRED_REPORTS]) {
    const read = (yield* readSource(source, service.id, request)).map((tuple) =>
      inOrder(toExported(slug, tuple)),
    );
    found.push(...read);
    end = earlier(end, read[limit - 1]);
  }
  const withdrawn = (yield* readSource(TOMBSTONES, service.id, request)).map((tuple) =>
    inOrder(toWithdrawn(slug, tuple)),
  );
  found.push(...withdrawn);
  end = earlier(end, withdrawn[limit - 1]);
  const last = end;
  const complete = found.filter((one) => last === undefined || compare(one, last) <= 0);
  return {
    versions: complete.sort(compare).map(({ version }) => version),
    next: last && { time: last.time, number: last.number },
  };
}

function inOrder(version: PublishedVersion): Ordered {
  const { reportedAt, number } = 'report' in version ? version.report : version.withdrawn;
  return { time: reportedAt, number, version };
}

function* readSource<Tuple extends readonly unknown[]>(
  { period, moment }: Source<Tuple>,
  serviceId: number,
  { day, after, limit }: DayRequest,
): UnitOfWork<readonly Tuple[]> {
  const start = Date.parse(day);
  const to = new Date(start + DAY_MS).toISOString();
  if (after === undefined)
    return yield* rows(period, { serviceId, from: new Date(start).toISOString(), to, limit });
  const same = yield* rows(moment, { serviceId, at: after.time, after: after.number, limit });
  if (same.length >= limit) return same;
  // Times have milliseconds.
  const from = new Date(Date.parse(after.time) + 1).toISOString();
  const others = yield* rows(period, { serviceId, from, to, limit: limit - same.length });
  return [...same, ...others];
}

function earlier(one: DayPosition | undefined, other: DayPosition | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  return compare(one, other) <= 0 ? one : other;
}

function compare(one: DayPosition, other: DayPosition): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  return one.number - other.number;
}
