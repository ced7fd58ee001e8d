import type { Caller } from '../../domain/accounts/caller.ts';
import { authorOf, type Change } from '../../domain/reports/change.ts';
import {
  differencesOf,
  formatDifferences,
  type PositionBase,
} from '../../domain/reports/cursor.ts';
import { baseFor, type PositionStore } from '../../operations/reports/feed-positions.ts';
import type { ChangesOutcome, FeedScope, FeedStore, Positions } from '../../ports/feed-store.ts';
import { changeFrame, openingFrame, type ResetReason, resetFrame } from './frames.ts';
import type { StreamReader } from './reader.ts';

/** Of one read. A page must fit several times into what may wait for a client. */
const PAGE = 100;

export type TailStore = Pick<FeedStore, 'changes' | 'heads'> & PositionStore;

/**
 * The end of one feed, or of all of them, for everybody who follows it: each change is read once, written once, and
 * the same bytes go to all but those who are also told who acted.
 *
 * A reader that comes from before is first brought, by reads of its own, to exactly the place where the tail stands
 * at that moment, and joins in the same turn. So nothing can come between what it read and what it will hear, and
 * nothing comes twice.
 */
export class FeedTail {
  readonly #feeds: TailStore;
  readonly #scope: FeedScope;
  readonly #secret: Uint8Array;
  readonly #readers = new Set<StreamReader>();
  readonly #now: () => Date;
  #positions: Positions;
  /** What ids are told by: near to where the tail stands. */
  #base: PositionBase | undefined;
  #reading: Promise<void> | undefined;
  #nextRead: Promise<void> | undefined;
  /** Why nobody can follow it any longer. */
  #closeReason: string | undefined;

  private constructor(feeds: TailStore, scope: FeedScope, secret: Uint8Array, now: () => Date) {
    this.#feeds = feeds;
    this.#scope = scope;
    this.#secret = secret;
    this.#now = now;
    this.#positions = new Map();
  }

  static async open(
    feeds: TailStore,
    scope: FeedScope,
    now: () => Date = () => new Date(),
  ): Promise<FeedTail> {
    const tail = new FeedTail(feeds, scope, await feeds.secret(), now);
    tail.#positions = await feeds.heads(scope);
    tail.#base = await tail.#baseFor(tail.#positions);
    return tail;
  }

  get readers(): ReadonlySet<StreamReader> {
    return this.#readers;
  }

  /** Whether the tail has yet to read something that those heads tell of. */
  isBehind(heads: Positions): boolean {
    return this.#feedsIn(heads).some(([slug, head]) => head > this.#positionIn(slug));
  }

  /** Whether a reader claims to have what was never given. Only right after `read`. */
  isAhead(since: Positions): boolean {
    return this.#feedsIn(since).some(([slug, number]) => number > this.#positionIn(slug));
  }

  /** Reads what is new and sends it to all. Resolves when everything that is there now has been sent. */
  read(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#readNewChanges().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    // What came after the read that is under way had begun may not be in it.
    this.#nextRead ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextRead = undefined;
        return this.read();
      });
    return this.#nextRead;
  }

  /** Sends a reader what followed that place, or nothing from before, and then what comes. */
  async admit(reader: StreamReader, since: Positions | ResetReason | undefined): Promise<void> {
    if (since === undefined || typeof since === 'string') return this.#join(reader, since);
    const at = new Map(this.#feedsIn(since));
    let base = await this.#baseFor(at);
    reader.send(openingFrame(this.#idOf(at, base)));
    while (reader.isOpen) {
      const next = this.#nextFeedBehind(at);
      if (next === undefined) return this.#add(reader);
      const [slug, number, limit] = next;
      const outcome = await this.#feeds.changes({
        scope: slug,
        since: new Map([[slug, number]]),
        limit,
      });
      if (typeof outcome === 'string' || outcome.changes.length === 0)
        return this.#join(reader, outcome === 'too-old' ? 'dropped' : 'unknown');
      base = await this.#baseFor(at, base);
      const frames = this.#framesOf(outcome.changes, at, { base, viewer: reader.viewer });
      await reader.deliver(Buffer.from(frames));
    }
  }

  /** Ends all who read it. */
  close(reason: string): void {
    this.#closeReason = reason;
    for (const reader of this.#readers) reader.end(reason);
    this.#readers.clear();
  }

  /** Forgets those who are gone. */
  sweep(): void {
    for (const reader of this.#readers) if (!reader.isOpen) this.#readers.delete(reader);
  }

  #join(reader: StreamReader, reset: ResetReason | undefined): void {
    const id = this.#idOf(this.#positions, this.#base);
    reader.send(openingFrame(id));
    if (reset !== undefined) reader.send(resetFrame(reset, id, this.#isOfAll));
    this.#add(reader);
  }

  #add(reader: StreamReader): void {
    if (this.#closeReason === undefined) this.#readers.add(reader);
    else reader.end(this.#closeReason);
  }

  async #readNewChanges(): Promise<void> {
    for (;;) {
      const outcome: ChangesOutcome = await this.#feeds.changes({
        scope: this.#scope,
        since: this.#positions,
        limit: PAGE,
      });
      if (typeof outcome === 'string') return this.#startOver(outcome);
      this.#base = await this.#baseFor(this.#positions, this.#base);
      // Sent and counted in one turn: whoever joins has either all of it or none.
      const at = new Map(this.#positions);
      if (outcome.changes.length > 0) this.#sendChanges(outcome.changes, at);
      this.#positions = at;
      if (!outcome.hasMore) return;
    }
  }

  /** The store has not what followed, or has less than it had: it was put back to an earlier state. */
  async #startOver(outcome: Extract<ChangesOutcome, string>): Promise<void> {
    const heads = await this.#feeds.heads(this.#scope);
    this.#base = await this.#baseFor(heads, this.#base);
    this.#positions = heads;
    const id = this.#idOf(heads, this.#base);
    const reason = outcome === 'too-old' ? 'dropped' : 'unknown';
    this.#sendToAll(resetFrame(reason, id, this.#isOfAll));
  }

  /** Moves `at` along with them. */
  #sendChanges(changes: readonly Change[], at: Map<string, number>): void {
    const start = new Map(at);
    const base = this.#base;
    const shared = Buffer.from(this.#framesOf(changes, at, { base }));
    for (const reader of this.#readers) {
      const { viewer } = reader;
      const seesMore = changes.some((change) => authorOf(change, viewer) !== undefined);
      const own = () => Buffer.from(this.#framesOf(changes, new Map(start), { base, viewer }));
      reader.send(seesMore ? own() : shared);
    }
    this.sweep();
  }

  #sendToAll(bytes: Buffer): void {
    for (const reader of this.#readers) reader.send(bytes);
    this.sweep();
  }

  /** Moves `at` along with them. */
  #framesOf(
    changes: readonly Change[],
    at: Map<string, number>,
    {
      base,
      viewer,
    }: { readonly base: PositionBase | undefined; readonly viewer?: Caller | undefined },
  ): string {
    let frames = '';
    const differences = differencesOf(at, base);
    for (const change of changes) {
      at.set(change.service, change.sequence);
      differences.set(change.service, change.sequence);
      const id = this.#isOfAll
        ? formatDifferences(this.#secret, differences, base)
        : String(change.sequence);
      frames += changeFrame(change, { id, isOfAll: this.#isOfAll, viewer });
    }
    return frames;
  }

  /** The first feed in which that place is before the tail's, and how many steps are between, at most a page. */
  #nextFeedBehind(
    at: Positions,
  ): readonly [slug: string, number: number, limit: number] | undefined {
    for (const [slug, tail] of this.#positions) {
      const number = at.get(slug) ?? 0;
      if (number < tail) return [slug, number, Math.min(PAGE, tail - number)];
    }
    return undefined;
  }

  #feedsIn(positions: Positions): readonly (readonly [string, number])[] {
    return [...positions].filter(([slug]) => this.#isOfAll || slug === this.#scope);
  }

  #positionIn(slug: string): number {
    return this.#positions.get(slug) ?? 0;
  }

  get #isOfAll(): boolean {
    return this.#scope === undefined;
  }

  /** Ids of one feed are its numbers, and need none. */
  async #baseFor(
    positions: Positions,
    known: PositionBase | undefined = this.#base,
  ): Promise<PositionBase | undefined> {
    if (this.#scope !== undefined) return undefined;
    return await baseFor(this.#feeds, positions, known, this.#now());
  }

  #idOf(positions: Positions, base: PositionBase | undefined): string {
    return this.#scope === undefined
      ? formatDifferences(this.#secret, differencesOf(positions, base), base)
      : String(positions.get(this.#scope) ?? 0);
  }
}
