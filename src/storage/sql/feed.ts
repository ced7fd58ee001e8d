import { all, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';

const moveSequence = query<{ slug: string; by: number }>()((db, hole) =>
  db
    .updateTable('service')
    .set((column) => ({ last_sequence: column('last_sequence', '+', hole.by) }))
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

/** The place of a change in a feed. */
export interface Place {
  readonly serviceId: number;
  readonly sequence: number;
}

/**
 * Takes the next number of a feed from the feed's own row, which stays locked until the commit: the
 * order of numbers is the order of commits, and a rolled back number is taken again.
 */
export function* takeSequence(service: string): UnitOfWork<Place | undefined> {
  return yield* row(moveSequence, { slug: service, by: 1 });
}

/** The next numbers of feeds for changes that come together: one statement for all of a feed, the rest given back. */
export class Sequences {
  readonly #wanted = new Map<string, number>();
  readonly #taken = new Map<string, { readonly serviceId: number; next: number; last: number }>();

  constructor(changes: readonly { readonly service: string }[]) {
    for (const { service } of changes)
      this.#wanted.set(service, (this.#wanted.get(service) ?? 0) + 1);
  }

  *take(service: string): UnitOfWork<Place | undefined> {
    let block = this.#taken.get(service);
    if (block === undefined) {
      const by = this.#wanted.get(service) ?? 1;
      const moved = yield* row(moveSequence, { slug: service, by });
      if (moved === undefined) return undefined;
      const { serviceId, sequence } = moved;
      block = { serviceId, next: sequence - by + 1, last: sequence };
      this.#taken.set(service, block);
    }
    return { serviceId: block.serviceId, sequence: block.next++ };
  }

  *giveBack(): UnitOfWork<void> {
    for (const [slug, { next, last }] of this.#taken) {
      if (next <= last) yield* rows(moveSequence, { slug, by: next - last - 1 });
    }
  }
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
