import { all, announce, each, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { queueDeliveries } from '../webhooks/webhooks.ts';

const moveSequence = query<{ slug: string; by: number }>()((db, parameter) =>
  db
    .updateTable('service')
    .set((column) => ({ last_sequence: column('last_sequence', '+', parameter.by) }))
    .where('slug', '=', parameter.slug)
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
}>()((db, parameter) =>
  db
    .insertInto('event')
    .values(all(parameter, ['service_id', 'sequence', 'type', 'report_id', 'at'])),
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

interface Block {
  readonly feed: Place;
  next: number;
  readonly last: number;
}

/** The next numbers of feeds for changes that come together: one statement for many, the rest given back. */
export class Sequences {
  readonly #wanted = new Map<string, number>();
  readonly #blocks = new Map<string, Block>();

  constructor(changes: readonly { readonly service: string }[]) {
    for (const { service } of changes) this.want(service, 1);
  }

  /** Says that so many more will be taken. */
  want(service: string, count: number): void {
    this.#wanted.set(service, (this.#wanted.get(service) ?? 0) + count);
  }

  /**
   * Takes all that are wanted so far, and locks the feeds until the commit. Always in the same order: two that each
   * wait for what the other has would wait for ever.
   */
  *reserve(): UnitOfWork<void> {
    for (const service of [...this.#wanted.keys()].sort()) yield* this.#extend(service);
  }

  *take(service: string): UnitOfWork<Place | undefined> {
    let block = this.#blocks.get(service);
    if (block === undefined || block.next > block.last) block = yield* this.#extend(service);
    if (block === undefined) return undefined;
    this.#wanted.set(service, (this.#wanted.get(service) ?? 0) - 1);
    const { serviceId, expireAfterDays, webhookCount } = block.feed;
    return { service, serviceId, sequence: block.next++, expireAfterDays, webhookCount };
  }

  *#extend(service: string): UnitOfWork<Block | undefined> {
    const by = Math.max(1, this.#wanted.get(service) ?? 0);
    const feed = yield* row(moveSequence, { slug: service, by });
    if (feed === undefined) return undefined;
    // Nobody else can have moved it since the first block: the row is locked.
    const block = { feed, next: feed.sequence - by + 1, last: feed.sequence };
    this.#blocks.set(service, block);
    return block;
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
export function* appendEvent(place: Place, happening: Happening): UnitOfWork<void> {
  yield* appendEvents([{ place, happening }]);
}

export interface Change {
  readonly place: Place;
  readonly happening: Happening;
}

export function* appendEvents(changes: readonly Change[]): UnitOfWork<void> {
  const written = changes.map(({ place, happening }) => ({
    service_id: place.serviceId,
    sequence: place.sequence,
    type: happening.type,
    report_id: happening.reportId,
    at: happening.at,
  }));
  yield* each(insertEvent, written);
  const told = changes.filter(({ place }) => place.webhookCount > 0);
  yield* queueDeliveries(
    told.map(({ place: { serviceId, sequence }, happening }) => ({
      serviceId,
      sequence,
      ...happening,
    })),
  );
  for (const service of new Set(changes.map(({ place }) => place.service)))
    yield* announce(service);
}
