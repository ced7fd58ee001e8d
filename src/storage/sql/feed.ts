import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';

const moveSequence = query<{ slug: string }>()((db, hole) =>
  db
    .updateTable('service')
    .set((column) => ({ last_sequence: column('last_sequence', '+', 1) }))
    .where('slug', '=', hole.slug)
    .returning(['id as serviceId', 'last_sequence as sequence']),
);

const insertEvent = query<{
  service_id: number;
  sequence: number;
  type: 'created' | 'updated' | 'deleted';
  report_id: string;
  at: string;
}>()((db, hole) =>
  db.insertInto('event').values(all(hole, ['service_id', 'sequence', 'type', 'report_id', 'at'])),
);

/**
 * Takes the next number of a feed from the feed's own row, which stays locked until the commit: the
 * order of numbers is the order of commits, and a rolled back number is taken again.
 */
export function* takeSequence(
  service: string,
): UnitOfWork<{ readonly serviceId: number; readonly sequence: number } | undefined> {
  return yield* row(moveSequence, { slug: service });
}

export interface FeedEvent {
  readonly serviceId: number;
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: string;
}

export function* appendEvent(event: FeedEvent): UnitOfWork<void> {
  yield* rows(insertEvent, {
    service_id: event.serviceId,
    sequence: event.sequence,
    type: event.type,
    report_id: event.reportId,
    at: event.at,
  });
}
