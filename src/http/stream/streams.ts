import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Positions } from '../../domain/reports/cursor.ts';
import type { Log } from '../../observability/log.ts';
import { identifyByDigest } from '../../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import type { FeedScope } from '../../ports/feed-store.ts';
import { FeedTail } from './feed-tail.ts';
import type { ResetReason } from './frames.ts';
import type { StreamReader } from './reader.ts';

/** The delay after which streams of a revoked token end and changes of other nodes are read. */
const TICK_MS = 1000;
const TICKS_PER_PING = 15;
const MAX_STREAMS = 10_000;

type StreamDependencies = Pick<Dependencies, 'store' | 'now' | 'knownLists'>;

/** Where a reader starts: after a position, or with new changes. */
export interface StreamStart {
  readonly scope: FeedScope;
  readonly since: Positions | ResetReason | undefined;
  /**
   * Whether a position beyond the end of the feed is refused. If not, the reader receives a reset
   * event.
   */
  readonly isStrict: boolean;
}

const RESTART = 'the server is shutting down; reconnect and resume';
const UNREADABLE = 'the changes could not be read; reconnect and resume';

/** All open streams, by the feed they follow. */
export class Streams {
  readonly #deps: StreamDependencies;
  readonly #log: Log;
  readonly #tails = new Map<FeedScope, Promise<FeedTail>>();
  /** The number of readers that are about to join a tail, which must not be removed before that. */
  readonly #joining = new Map<FeedScope, number>();
  /** All readers, including those that still catch up. */
  readonly #readers = new Set<StreamReader>();
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #isTicking = false;
  #isClosed = false;

  constructor(deps: StreamDependencies, log: Log) {
    this.#deps = deps;
    this.#log = log;
  }

  get size(): number {
    return this.#readers.size;
  }

  /**
   * Sends the changes since the start to a reader, and then new ones. All refusals are thrown
   * before `connect` is called, which sends the headers. Resolves when the reader has caught up.
   */
  async open(start: StreamStart, connect: () => StreamReader): Promise<void> {
    if (this.#isClosed) throw new Problem('unavailable', { retryAfterSeconds: 5 });
    if (this.size >= MAX_STREAMS)
      throw new Problem('too_many_connections', { retryAfterSeconds: 5 });
    const { scope } = start;
    this.#joining.set(scope, (this.#joining.get(scope) ?? 0) + 1);
    try {
      const tail = await this.#tailOf(scope);
      const since = await resolveStart(tail, start);
      await this.#follow(tail, since, connect());
    } finally {
      this.#joining.set(scope, (this.#joining.get(scope) ?? 1) - 1);
    }
  }

  /**
   * Runs once a second: ends streams whose token is no longer valid, and reads changes of other
   * nodes.
   */
  async tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      await this.#checkTokens();
      this.#ticks += 1;
      if (this.#ticks % TICKS_PER_PING === 0) for (const reader of this.#readers) reader.ping();
      await this.#readRemoteChanges();
      await this.#sweep();
    } finally {
      this.#isTicking = false;
    }
  }

  /**
   * Refuses new readers and ends the open streams. Clients resume on another node, or here after
   * the restart.
   */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end(RESTART);
    this.#readers.clear();
    this.#stopTicking();
  }

  async #follow(tail: FeedTail, since: StreamStart['since'], reader: StreamReader): Promise<void> {
    if (this.#isClosed) return reader.end(RESTART);
    this.#readers.add(reader);
    try {
      await tail.admit(reader, since);
    } catch (err) {
      this.#log.error({ err }, 'a stream could not be read');
      reader.end(UNREADABLE);
    }
  }

  #tailOf(scope: FeedScope): Promise<FeedTail> {
    const known = this.#tails.get(scope);
    if (known !== undefined) return known;
    // Subscribes first, so that no commit is missed while the tail opens.
    this.#startTicking();
    const opening = FeedTail.open(this.#deps.store.feeds, scope, this.#deps);
    this.#tails.set(scope, opening);
    opening.catch(() => this.#tails.delete(scope));
    return opening;
  }

  #startTicking(): void {
    this.#unsubscribe ??= this.#deps.store.feeds.onChange((slug) => {
      this.#readTail(slug);
      this.#readTail(undefined);
    });
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.tick(), TICK_MS);
    this.#timer.unref();
  }

  #stopTicking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#tails.clear();
  }

  #readTail(scope: FeedScope): void {
    const tail = this.#tails.get(scope);
    tail?.then((open) => open.read()).catch((err: unknown) => this.#fail(scope, err));
  }

  /**
   * An outage must not look like a quiet feed: the readers are disconnected, and get an error or
   * resume.
   */
  #fail(scope: FeedScope, err: unknown): void {
    this.#log.error({ err }, 'a feed could not be read for its streams');
    const tail = this.#tails.get(scope);
    this.#tails.delete(scope);
    tail?.then((open) => open.close(UNREADABLE)).catch(() => undefined);
  }

  async #readRemoteChanges(): Promise<void> {
    try {
      const heads = await this.#deps.store.feeds.heads(undefined);
      for (const [scope, tail] of [...this.#tails])
        if ((await tail).isBehind(heads)) this.#readTail(scope);
    } catch (err) {
      for (const scope of [...this.#tails.keys()]) this.#fail(scope, err);
    }
  }

  async #checkTokens(): Promise<void> {
    const byToken = Map.groupBy(this.#readers, ({ digest }) =>
      Buffer.from(digest).toString('latin1'),
    );
    for (const [, readers] of byToken) {
      const digest = readers[0]?.digest;
      if (digest === undefined) continue;
      const viewer = await this.#callerOf(digest);
      for (const reader of readers) {
        reader.viewer = viewer;
        if (viewer === undefined) reader.end('the token is no longer valid');
      }
    }
  }

  /** A token that cannot be checked counts as invalid. */
  async #callerOf(digest: Uint8Array): Promise<Caller | undefined> {
    return await identifyByDigest(this.#deps, digest).catch(() => undefined);
  }

  /** Removes closed readers, and tails without readers. */
  async #sweep(): Promise<void> {
    for (const reader of this.#readers) if (!reader.isOpen) this.#readers.delete(reader);
    for (const [scope, opening] of [...this.#tails]) {
      const tail = await opening;
      tail.sweep();
      if (tail.readers.size > 0 || (this.#joining.get(scope) ?? 0) > 0) continue;
      this.#tails.delete(scope);
      this.#joining.delete(scope);
    }
    if (this.#tails.size === 0) this.#stopTicking();
  }
}

/** The start of a reader after its position was checked against the feed. */
async function resolveStart(
  tail: FeedTail,
  { since, isStrict }: StreamStart,
): Promise<StreamStart['since']> {
  if (since === undefined || typeof since === 'string') return since;
  // The client may be ahead of what the tail has read so far.
  await tail.read();
  if (!tail.isAhead(since)) return since;
  if (isStrict) throw new Problem('since_ahead');
  return 'unknown';
}
