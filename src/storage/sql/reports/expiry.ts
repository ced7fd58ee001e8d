import { sql } from 'kysely';
import { expiryAfter } from '../../../domain/reports/desk.ts';
import { all, query, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { appendEvent, type Place, Sequences } from '../feeds/events.ts';
import { lockFeeds } from '../feeds/feed-lock.ts';
import { COUNTED_NOW, lastSighting, renewReports } from './sightings.ts';

const selectDue = query<{ now: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .innerJoin('service', 'service.id', 'report.service_id')
    .select([
      'report.id',
      'report.service_id',
      'report.host',
      'report.port',
      'service.slug as service',
      'service.expire_after_days as expireAfterDays',
    ])
    // As it stands in the index: arguments would not be recognised.
    .where(sql<boolean>`report.status in ('open', 'acknowledged')`)
    .where('report.expires_at', '<=', parameter.now)
    .orderBy('report.expires_at')
    .limit(parameter.limit),
);

const setExpired = query<{ id: string; sequence: number; updated_at: string }>()((db, parameter) =>
  db
    .updateTable('report')
    .set({
      ...all(parameter, ['sequence', 'updated_at']),
      ...COUNTED_NOW,
      status: 'expired',
      status_reason: null,
      status_note: null,
      status_by: null,
    })
    .where('id', '=', parameter.id),
);

interface DueReport {
  readonly id: string;
  readonly service_id: number;
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly expireAfterDays: number;
}

/** Looks at so many whose time has come; how many there were. */
export function* expireReports(now: Date, limit: number): UnitOfWork<number> {
  const asked = { now: now.toISOString(), limit };
  const feeds = new Set((yield* rows(selectDue, asked)).map(({ service }) => service));
  yield* lockFeeds(feeds);
  // Once more: until the feeds were locked, a desk or another node may have been quicker.
  const due = (yield* rows(selectDue, asked)).filter(({ service }) => feeds.has(service));
  const sequences = new Sequences([]);
  for (const report of due) yield* expireReport(report, now, sequences);
  yield* sequences.giveBack();
  return due.length;
}

/** The C2 may have been seen again without this one having been renewed; or its feed keeps reports longer now. */
function* expireReport(report: DueReport, now: Date, sequences: Sequences): UnitOfWork<void> {
  const { id, service, expireAfterDays, service_id, host, port } = report;
  const lastSeen = yield* lastSighting({ service_id, host, port });
  const expiresAt = expiryAfter(lastSeen ?? now, expireAfterDays);
  if (expiresAt > now) {
    yield* renewReports([{ id, service, at: now, expiresAt }], sequences);
    return;
  }
  // The feed is there: the report stands in it.
  const place = (yield* sequences.take(service)) as Place;
  const at = now.toISOString();
  yield* rows(setExpired, { id, sequence: place.sequence, updated_at: at });
  yield* appendEvent(place, { type: 'updated', reportId: id, at });
}
