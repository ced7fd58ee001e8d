import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { Log } from '../../observability/log.ts';
import { identifyByDigest, recallCaller } from '../../operations/accounts/identify-caller.ts';
import type { Dependencies } from '../../operations/dependencies.ts';
import type { FeedScope, Positions } from '../../ports/feed-store.ts';
import { FeedTail } from './feed-tail.ts';
import type { ResetReason } from './frames.ts';
import type { StreamReader } from './reader.ts';

/** How soon a stream ends after its token, and hears of what other processes have written. */
const TICK_MS = 1000;
const TICKS_A_PING = 15;
const MAX_STREAMS = 10_000;

type StreamDependencies = Pick<Dependencies, 'store' | 'now'>;

/** Where a reader wants to begin: after that place, or with what comes. */
export interface StreamStart {
  readonly scope: FeedScope;
  readonly since: Positions | ResetReason | undefined;
  /** Whether a place that was never given is refused; else the reader is told to begin anew. */
  readonly isStrict: boolean;
}

const RESTART = 'the server stops; come back and resume';
const UNREADABLE = 'the changes could not be read; come back and resume';

/** Everybody who follows a feed, by what they follow. */
export class Streams {
  readonly #deps: StreamDependencies;
  readonly #log: Log;
  readonly #tails = new Map<FeedScope, Promise<FeedTail>>();
  /** How many are about to follow a tail, which must not be let go of meanwhile. */
  readonly #joining = new Map<FeedScope, number>();
  /** All of them, also those that are still being sent what was before. */
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
   * Sends what followed to a reader, and then what comes. What may be refused is refused before `connect` is called,
   * which begins the answer. Resolves when the reader is up to date.
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

  /** Once a second: ends streams whose token is gone, and reads what other processes have written. */
  async tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      await this.#checkTokens();
      this.#ticks += 1;
      if (this.#ticks % TICKS_A_PING === 0) for (const reader of this.#readers) reader.ping();
      await this.#readRemoteChanges();
      await this.#sweep();
    } finally {
      this.#isTicking = false;
    }
  }

  /** Nobody is let in any more; whoever reads resumes elsewhere, or here after the restart. */
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
    // From now on, so that nothing is missed that is committed while it opens.
    this.#startTicking();
    const opening = FeedTail.open(this.#deps.store.feeds, scope, this.#deps.now);
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

  /** An outage must not look like a quiet feed. Whoever comes back is told, or resumes. */
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

  /** What cannot be checked is refused. */
  async #callerOf(digest: Uint8Array): Promise<Caller | undefined> {
    return (
      recallCaller(this.#deps, digest) ??
      (await identifyByDigest(this.#deps, digest).catch(() => undefined))
    );
  }

  /** Lets go of those who left, and of feeds that nobody follows. */
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

/** Where a reader really begins. */
async function resolveStart(
  tail: FeedTail,
  { since, isStrict }: StreamStart,
): Promise<StreamStart['since']> {
  if (since === undefined || typeof since === 'string') return since;
  // It may know more than the tail has read so far.
  await tail.read();
  if (!tail.isAhead(since)) return since;
  if (isStrict) throw new Problem('since_ahead');
  return 'unknown';
}
