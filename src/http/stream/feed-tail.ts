import type { Caller } from '../../domain/accounts/caller.ts';
import type { KnownLists } from '../../domain/lists/known-lists.ts';
import { authorOf, type FeedChange } from '../../domain/reports/change.ts';
import type { Positions } from '../../domain/reports/cursor.ts';
import {
  differencesOf,
  formatDifferences,
  type PositionBase,
} from '../../domain/reports/cursor.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import { baseFor, type PositionStore } from '../../operations/reports/feed-positions.ts';
import type {
  ChangesOutcome,
  ChangesRefusal,
  FeedScope,
  FeedStore,
} from '../../ports/feed-store.ts';
import { nextPart } from '../responses/response-turns.ts';
import { changeFrame, openingFrame, type ResetReason, resetFrame } from './frames.ts';
import type { StreamReader } from './reader.ts';

/** Changes per read. Several pages must fit into the buffer of a client. */
const PAGE = 100;

/** A tail serializes changes for several kinds of readers. */
const UNCHANGED = (changes: readonly FeedChange[]) => changes;

export type TailOptions = Pick<Dependencies, 'now' | 'knownLists'>;

export type TailStore = Pick<FeedStore, 'changes' | 'heads'> & PositionStore;

/**
 * The end of the log of one feed, or of all feeds, shared by all its readers. Each change is read
 * and serialized once, and the same bytes are sent to all readers but those that may see authors. A
 * reader that resumes first catches up with its own reads to the position of the tail, and joins in
 * the same turn of the event loop. So no change is skipped or sent twice.
 */
export class FeedTail {
  readonly #feeds: TailStore;
  readonly #scope: FeedScope;
  readonly #secret: Uint8Array;
  readonly #readers = new Set<StreamReader>();
  readonly #now: () => Date;
  readonly #lists: () => KnownLists;
  #positions: Positions;
  /** The base that event ids are encoded against; close to the position of the tail. */
  #base: PositionBase | undefined;
  #reading: Promise<void> | undefined;
  #nextRead: Promise<void> | undefined;
  /** Set once the tail is closed. */
  #closeReason: string | undefined;

  private constructor(
    feeds: TailStore,
    scope: FeedScope,
    secret: Uint8Array,
    options: TailOptions,
  ) {
    this.#feeds = feeds;
    this.#scope = scope;
    this.#secret = secret;
    this.#now = options.now;
    this.#lists = options.knownLists;
    this.#positions = new Map();
  }

  static async open(feeds: TailStore, scope: FeedScope, options: TailOptions): Promise<FeedTail> {
    const tail = new FeedTail(feeds, scope, await feeds.secret(), options);
    tail.#positions = await feeds.heads(scope);
    tail.#base = await tail.#baseFor(tail.#positions);
    return tail;
  }

  get readers(): ReadonlySet<StreamReader> {
    return this.#readers;
  }

  /** Whether these heads are beyond the position of the tail. */
  isBehind(heads: Positions): boolean {
    return this.#feedsIn(heads).some(([slug, head]) => head > this.#positionIn(slug));
  }

  /** Whether these positions are beyond the tail. Valid only right after `read`. */
  isAhead(since: Positions): boolean {
    return this.#feedsIn(since).some(([slug, number]) => number > this.#positionIn(slug));
  }

  /**
   * Reads new changes and sends them to all readers. Resolves when all changes committed before the
   * call have been sent.
   */
  read(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#readNewChanges().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    // The read in progress may not include changes that were committed after it started.
    this.#nextRead ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextRead = undefined;
        return this.read();
      });
    return this.#nextRead;
  }

  /** Sends the changes since a position, if one is given, and then adds the reader to the tail. */
  async admit(reader: StreamReader, since: Positions | ResetReason | undefined): Promise<void> {
    if (since === undefined || typeof since === 'string') return this.#join(reader, since);
    const at = new Map(this.#feedsIn(since));
    let base = await this.#baseFor(at);
    reader.send(openingFrame(this.#idOf(at, base)));
    while (reader.isOpen) {
      const next = this.#nextFeedBehind(at);
      if (next === undefined) return this.#add(reader);
      const [slug, number, limit] = next;
      const query = { scope: slug, since: new Map([[slug, number]]), limit };
      const outcome = await this.#feeds.changes(query, UNCHANGED);
      if (typeof outcome === 'string' || outcome.changes.length === 0)
        return this.#join(reader, outcome === 'too-old' ? 'dropped' : 'unknown');
      base = await this.#baseFor(at, base);
      const frames = this.#framesOf(outcome.changes, at, { base, viewer: reader.viewer });
      const bytes = Buffer.from(frames);
      await reader.deliver(bytes);
      await nextPart(bytes.length);
    }
  }

  close(reason: string): void {
    this.#closeReason = reason;
    for (const reader of this.#readers) reader.end(reason);
    this.#readers.clear();
  }

  /** Removes closed readers. */
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
      const query = { scope: this.#scope, since: this.#positions, limit: PAGE };
      const outcome: ChangesOutcome<readonly FeedChange[]> = await this.#feeds.changes(
        query,
        UNCHANGED,
      );
      if (typeof outcome === 'string') return this.#startOver(outcome);
      this.#base = await this.#baseFor(this.#positions, this.#base);
      // Sent and recorded in one turn of the event loop: a reader that joins gets all of the page
      // or none of it.
      const at = new Map(this.#positions);
      const sentBytes = outcome.changes.length > 0 ? this.#sendChanges(outcome.changes, at) : 0;
      this.#positions = at;
      if (!outcome.hasMore) return;
      await nextPart(sentBytes);
    }
  }

  /** The changes after the position are gone, or the store was restored to an earlier state. */
  async #startOver(outcome: ChangesRefusal): Promise<void> {
    const heads = await this.#feeds.heads(this.#scope);
    this.#base = await this.#baseFor(heads, this.#base);
    this.#positions = heads;
    const id = this.#idOf(heads, this.#base);
    const reason = outcome === 'too-old' ? 'dropped' : 'unknown';
    this.#sendToAll(resetFrame(reason, id, this.#isOfAll));
  }

  /** Advances `at`. Returns the bytes that most readers get. */
  #sendChanges(changes: readonly FeedChange[], at: Map<string, number>): number {
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
    return shared.length;
  }

  #sendToAll(bytes: Buffer): void {
    for (const reader of this.#readers) reader.send(bytes);
    this.sweep();
  }

  /** Advances `at`. */
  #framesOf(
    changes: readonly FeedChange[],
    at: Map<string, number>,
    {
      base,
      viewer,
    }: { readonly base: PositionBase | undefined; readonly viewer?: Caller | undefined },
  ): string {
    const reader = { viewer, lists: this.#lists() };
    let frames = '';
    const differences = differencesOf(at, base);
    for (const change of changes) {
      at.set(change.service, change.sequence);
      differences.set(change.service, change.sequence);
      const id = this.#isOfAll
        ? formatDifferences(this.#secret, differences, base)
        : String(change.sequence);
      frames += changeFrame(change, { id, isOfAll: this.#isOfAll, reader });
    }
    return frames;
  }

  /**
   * The first feed in which `at` is behind the tail, with the number of missing changes, at most a
   * page.
   */
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

  /** Event ids of a single feed are its sequence numbers and need no base. */
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
