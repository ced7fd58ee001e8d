import { type RawBuilder, sql } from 'kysely';
import { type Dialect, query } from '../../units/query.ts';
import { each, eachDeferred, row, type UnitOfWork } from '../../units/unit-of-work.ts';

interface SequenceMove {
  slug: string;
  by: number;
  /** In milliseconds. On PostgreSQL the clock of the database is used instead. */
  now: number;
}

const moveSequence = query<SequenceMove>()((db, parameter, dialect) =>
  db
    .updateTable('service')
    .set((column) => ({
      last_sequence: column('last_sequence', '+', parameter.by),
      last_added: lastAddedAfter(parameter, dialect),
    }))
    .where('slug', '=', parameter.slug)
    .returning([
      'id as serviceId',
      'slug as service',
      'last_sequence as sequence',
      'last_added as addedAt',
      'expire_after_days as expireAfterDays',
      'webhook_count as webhookCount',
    ]),
);

/**
 * The last of `by` times of which the first is now, or directly after the last change. On SQLite
 * that is the last change of any feed: there is one writer, so times grow in the order of commits
 * over all feeds, even if the clock is set back.
 *
 * On PostgreSQL feeds do not wait for each other. The transaction gets its id before the clock is
 * read. So once a reader sees no open transaction that started before some time, no change with an
 * earlier time is committed any more.
 */
function lastAddedAfter({ by, now }: SequenceMove, dialect: Dialect): RawBuilder<number> {
  if (dialect === 'sqlite')
    return sql`max(${now}, (select max(last_added) from service) + 1) + ${by} - 1`;
  return sql`greatest(
    case when pg_current_xact_id() is not null
      then floor(extract(epoch from clock_timestamp()) * 1000)::bigint end,
    last_added + 1
  ) + ${by}::bigint - 1`;
}

/** Not their times, which other sequences may not get. */
const returnSequences = query<{ slug: string; count: number }>()((db, parameter) =>
  db
    .updateTable('service')
    .set((column) => ({ last_sequence: column('last_sequence', '-', parameter.count) }))
    .where('slug', '=', parameter.slug),
);

/** The sequence of a change in a feed, with the columns of the feed's row that writing it needs. */
export interface FeedPosition {
  readonly service: string;
  readonly serviceId: number;
  readonly sequence: number;
  /** When readers get it, in milliseconds: unique in the feed, and later than those before it. */
  readonly addedAt: number;
  readonly expireAfterDays: number;
  readonly webhookCount: number;
}

/**
 * Takes the next sequence of a feed from the feed's row, which stays locked until the commit. So
 * sequences are committed in order, and one that was rolled back is used again.
 */
export function* takeSequence(service: string, at: Date): UnitOfWork<FeedPosition> {
  const position = yield* row(moveSequence, { slug: service, by: 1, now: at.getTime() });
  if (position === undefined) throw new Error(`no such feed: ${service}`);
  return position;
}

interface Block {
  readonly feed: FeedPosition;
  next: number;
  readonly last: number;
}

/**
 * Allocates sequences for the changes of one unit of work: one statement reserves a block of a
 * feed, and `releaseUnused` returns the rest of it.
 */
export class SequenceAllocator {
  readonly #expected = new Map<string, number>();
  readonly #blocks = new Map<string, Block>();
  readonly #now: number;

  constructor(changes: readonly { readonly service: string }[], at: Date) {
    this.#now = at.getTime();
    for (const { service } of changes) this.expect(service, 1);
  }

  /** Announces that `count` more sequences will be taken. */
  expect(service: string, count: number): void {
    this.#expected.set(service, (this.#expected.get(service) ?? 0) + count);
  }

  /**
   * Reserves all sequences expected so far, and locks the feeds until the commit. The feeds are
   * locked in the order of their slugs, so that two units cannot deadlock.
   */
  *reserve(): UnitOfWork<void> {
    const moves = [...this.#expected.keys()].sort().map((slug) => this.#moveOf(slug));
    const found = yield* each(moveSequence, moves);
    for (const [index, { slug, by }] of moves.entries())
      this.#setBlock(slug, by, found[index]?.[0]);
  }

  *take(service: string): UnitOfWork<FeedPosition | undefined> {
    let block = this.#blocks.get(service);
    if (block === undefined || block.next > block.last) block = yield* this.#extend(service);
    if (block === undefined) return undefined;
    this.#expected.set(service, (this.#expected.get(service) ?? 0) - 1);
    const { serviceId, expireAfterDays, webhookCount } = block.feed;
    const addedAt = block.feed.addedAt - (block.last - block.next);
    return { service, serviceId, sequence: block.next++, addedAt, expireAfterDays, webhookCount };
  }

  *#extend(service: string): UnitOfWork<Block | undefined> {
    const move = this.#moveOf(service);
    return this.#setBlock(service, move.by, yield* row(moveSequence, move));
  }

  #moveOf(slug: string): SequenceMove {
    return { slug, by: Math.max(1, this.#expected.get(slug) ?? 0), now: this.#now };
  }

  #setBlock(service: string, by: number, feed: FeedPosition | undefined): Block | undefined {
    if (feed === undefined) return undefined;
    // The row has been locked since the first block, so the new block follows it directly.
    const block = { feed, next: feed.sequence - by + 1, last: feed.sequence };
    this.#blocks.set(service, block);
    return block;
  }

  *releaseUnused(): UnitOfWork<void> {
    const unused = [...this.#blocks].flatMap(([slug, { next, last }]) =>
      next <= last ? { slug, count: last - next + 1 } : [],
    );
    yield* eachDeferred(returnSequences, unused);
  }
}
