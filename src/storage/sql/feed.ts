import { all, announce, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';
import { queueDeliveries } from './webhooks.ts';

const moveSequence = query<{ slug: string; by: number }>()((db, hole) =>
  db
    .updateTable('service')
    .set((column) => ({ last_sequence: column('last_sequence', '+', hole.by) }))
    .where('slug', '=', hole.slug)
    .returning([
      'id as serviceId',
      'slug as service',
      'last_sequence as sequence',
      'expire_after_days as expireAfterDays',
      'webhook_count as webhookCount',
    ]),
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

/** The place of a change in a feed, and what else the feed's row says. */
export interface Place {
  readonly service: string;
  readonly serviceId: number;
  readonly sequence: number;
  readonly expireAfterDays: number;
  readonly webhookCount: number;
}

/**
 * Takes the next number of a feed from the feed's own row, which stays locked until the commit: the
 * order of numbers is the order of commits, and a rolled back number is taken again.
 */
export function* takeSequence(service: string): UnitOfWork<Place> {
  const place = yield* row(moveSequence, { slug: service, by: 1 });
  if (place === undefined) throw new Error(`a change happened in no feed: ${service}`);
  return place;
}

/** The next numbers of feeds for changes that come together: one statement for many, the rest given back. */
export class Sequences {
  readonly #wanted = new Map<string, number>();
  readonly #blocks = new Map<string, { readonly feed: Place; next: number; last: number }>();

  constructor(changes: readonly { readonly service: string }[]) {
    for (const { service } of changes) this.want(service, 1);
  }

  /** Says that so many more will be taken. */
  want(service: string, count: number): void {
    this.#wanted.set(service, (this.#wanted.get(service) ?? 0) + count);
  }

  *take(service: string): UnitOfWork<Place | undefined> {
    let block = this.#blocks.get(service);
    const wanted = this.#wanted.get(service) ?? 0;
    if (block === undefined || block.next > block.last) {
      const by = Math.max(1, wanted);
      const feed = yield* row(moveSequence, { slug: service, by });
      if (feed === undefined) return undefined;
      // Nobody else can have moved it since the first block: the row is locked.
      block = { feed, next: feed.sequence - by + 1, last: feed.sequence };
      this.#blocks.set(service, block);
    }
    this.#wanted.set(service, wanted - 1);
    const { serviceId, expireAfterDays, webhookCount } = block.feed;
    return { service, serviceId, sequence: block.next++, expireAfterDays, webhookCount };
  }

  *giveBack(): UnitOfWork<void> {
    for (const [slug, { next, last }] of this.#blocks) {
      if (next <= last) yield* rows(moveSequence, { slug, by: next - last - 1 });
    }
  }
}

/** What happened there. */
export interface Happening {
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: string;
}

/** Every change of a feed ends with this: the log, the webhooks and whoever listens learn of it. */
export function* appendEvent(place: Place, { type, reportId, at }: Happening): UnitOfWork<void> {
  const { service, serviceId, sequence, webhookCount } = place;
  yield* rows(insertEvent, { service_id: serviceId, sequence, type, report_id: reportId, at });
  if (webhookCount > 0) yield* queueDeliveries({ serviceId, sequence, type, reportId, at });
  yield* announce(service);
}
