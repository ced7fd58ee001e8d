import { sql } from 'kysely';
import type { FeedScope } from '../../../../ports/feed-store.ts';
import type { MispEvent } from '../../../../ports/misp-store.ts';
import { query } from '../../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../../units/unit-of-work.ts';

const OF_EVENT = [
  'misp_event.id',
  'misp_event.day',
  'misp_event.part',
  'misp_event.stamp',
] as const;
const COLUMNS = [...OF_EVENT, 'service.slug as service', 'service.name as serviceName'] as const;

const selectFeed = query<{ slug: string }>()((db, parameter) =>
  db.selectFrom('service').select(['id', 'name']).where('slug', '=', parameter.slug),
);

const selectOfFeed = query<{ serviceId: number; day: string; part: number; limit: number }>()(
  (db, parameter) =>
    db
      .selectFrom('misp_event')
      .select(OF_EVENT)
      .where('misp_event.service_id', '=', parameter.serviceId)
      .where(
        sql<boolean>`(misp_event.day, misp_event.part) > (${parameter.day}, ${parameter.part})`,
      )
      .orderBy('misp_event.day')
      .orderBy('misp_event.part')
      .limit(parameter.limit),
);

const selectOfAll = query<{ id: string; limit: number }>()((db, parameter) =>
  db
    .selectFrom('misp_event')
    .innerJoin('service', 'service.id', 'misp_event.service_id')
    .select(COLUMNS)
    .where('misp_event.id', '>', parameter.id)
    .orderBy('misp_event.id')
    .limit(parameter.limit),
);

const selectEvent = query<{ id: string }>()((db, parameter) =>
  db
    .selectFrom('misp_event')
    .innerJoin('service', 'service.id', 'misp_event.service_id')
    .select(COLUMNS)
    .where('misp_event.id', '=', parameter.id),
);

const selectLastStamp = query()((db) =>
  db.selectFrom('misp_event').select(({ fn }) => fn.max('stamp').as('stamp')),
);

const selectPosition = query<{ slug: string }>()((db, parameter) =>
  db
    .selectFrom('service')
    .innerJoin('misp_position', 'misp_position.service_id', 'service.id')
    .select('misp_position.added_at as position')
    .where('service.slug', '=', parameter.slug),
);

export function* lastStamp(): UnitOfWork<number> {
  return (yield* row(selectLastStamp, {}))?.stamp ?? 0;
}

/** Stamps are raised with the position of their feed, and one counter gives those of all feeds. */
export function* versionOf(scope: FeedScope): UnitOfWork<number> {
  if (scope === undefined) return yield* lastStamp();
  return (yield* row(selectPosition, { slug: scope }))?.position ?? 0;
}

export function* pageOfEvents(
  scope: FeedScope,
  after: MispEvent | undefined,
  limit: number,
): UnitOfWork<readonly MispEvent[]> {
  if (scope === undefined) return yield* rows(selectOfAll, { id: after?.id ?? '', limit });
  const feed = yield* row(selectFeed, { slug: scope });
  if (feed === undefined) return [];
  const { day, part } = after ?? { day: '', part: 0 };
  const found = yield* rows(selectOfFeed, { serviceId: feed.id, day, part, limit });
  return found.map((event) => ({ ...event, service: scope, serviceName: feed.name }));
}

export function* findEvent(scope: FeedScope, id: string): UnitOfWork<MispEvent | undefined> {
  const event = yield* row(selectEvent, { id });
  return scope === undefined || scope === event?.service ? event : undefined;
}
