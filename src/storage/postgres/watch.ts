import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DATABASE_MS, type TimeSample } from './clock.ts';

/** By which nodes of one store tell each other that something has changed. */
const CHANNEL = 'rapsheet';
const NOTIFY = 'select pg_notify($1, $2)';
/** A payload has 8,000 bytes at most. */
const MOST_BYTES = 7000;
const POLL_MS = 250;
/** The feeds are asked for only every so many times. */
const FEEDS_EVERY = 4;
/** What was heard longer ago says nothing any more: what is remembered of tokens must not be believed then. */
const FRESH_MS = 900;
const LONGEST_PAUSE_MS = 1000;
/** All that is asked here is answered at once; a connection that takes longer is replaced. */
const ANSWER_MS = 2000;

export interface Heard {
  /** Feeds that somebody may have changed. It may be said of one that has not. */
  feeds(slugs: readonly string[]): void;
  /** What time it is for the database. */
  time?(sample: TimeSample): void;
}

/**
 * What happens on other nodes. They say so (`notify`), which is quick; but what counts is what stands in the store, the
 * version of access and the sequence of each feed, and that is looked at again and again. So a word that is lost, with
 * its connection or in a pooler, only takes a moment longer to be noticed.
 */
export class Watch {
  readonly #options: pg.ClientConfig;
  readonly #heard: Heard;
  readonly #node = randomUUID();
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #running: Promise<void> = Promise.resolve();
  #wake = new AbortController();
  #version: unknown;
  #toldVersion: unknown;
  #isTold = false;
  #heardAt = Number.NEGATIVE_INFINITY;
  #heads = new Map<string, number>();
  readonly #untold = new Set<string>();
  #isTelling = false;

  constructor(options: pg.ClientConfig, heard: Heard) {
    this.#options = options;
    this.#heard = heard;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Whether what decides who may do what may have changed since this was last asked. True while nobody can tell. */
  accessChanged(): boolean {
    const isFresh = performance.now() - this.#heardAt < FRESH_MS;
    const changed = !isFresh || this.#isTold || this.#version !== this.#toldVersion;
    this.#isTold = false;
    this.#toldVersion = this.#version;
    return changed;
  }

  /**
   * Tells the others of what decides who may do what, as soon as the transaction on that connection commits: whoever has
   * changed it may be a command that ends right after.
   */
  async tellAccess(client: pg.ClientBase): Promise<void> {
    await client.query(NOTIFY, [CHANNEL, this.#saying('access', [])]);
  }

  /**
   * Tells the others. Where that fails they see it in the store. What changes while it is being told is told together: a
   * word each would be more than one connection can say, and whatever else is asked there would wait behind them.
   */
  tellFeeds(feeds: readonly string[]): void {
    for (const slug of feeds) this.#untold.add(slug);
    if (!this.#isTelling) void this.#tellUntold();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #tellUntold(): Promise<void> {
    this.#isTelling = true;
    for (let part = this.#takeUntold(); part.length > 0; part = this.#takeUntold())
      await this.#client
        ?.query(NOTIFY, [CHANNEL, this.#saying('feeds', part)])
        .catch(() => undefined);
    this.#isTelling = false;
  }

  /** As many as one word can tell. */
  #takeUntold(): readonly string[] {
    const part: string[] = [];
    let bytes = 0;
    for (const slug of this.#untold) {
      bytes += slug.length + 1;
      if (bytes > MOST_BYTES) break;
      part.push(slug);
      this.#untold.delete(slug);
    }
    return part;
  }

  #saying(kind: 'access' | 'feeds', words: readonly string[]): string {
    return [this.#node, kind, ...words].join(' ');
  }

  #listen(said: string): void {
    const [node, kind, ...words] = said.split(' ');
    if (node === this.#node) return;
    if (kind === 'feeds') this.#heard.feeds(words);
    if (kind !== 'access') return;
    this.#isTold = true;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#stopping.signal.aborted; failures += 1) {
      const client = new pg.Client({
        ...this.#options,
        query_timeout: ANSWER_MS,
        // Nothing that is said here has to outlast a crash, nor to wait for a disk or a replica.
        options: `${this.#options.options ?? ''} -c synchronous_commit=off`,
      });
      // It is told by the query that fails, too; without a listener it would end the process.
      client.on('error', () => this.#wake.abort());
      try {
        await client.connect();
        client.on('notification', ({ payload = '' }) => this.#listen(payload));
        await client.query(`listen ${CHANNEL}`);
        this.#client = client;
        failures = 0;
        await this.#poll(client);
      } catch {
        // Whoever asks is told that nobody knows; and then it is tried again.
      }
      this.#client = undefined;
      // One that hangs is left behind.
      client.end().catch(() => undefined);
      await this.#pause(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** failures));
    }
  }

  /** Until it is stopped, or fails. */
  async #poll(client: pg.Client): Promise<void> {
    for (let turn = 0; !this.#stopping.signal.aborted; turn += 1) {
      const askedAt = performance.now();
      const { rows } = await client.query<{ access_version: string; now: number }>(
        `select access_version::text as access_version, ${DATABASE_MS} as now from installation`,
      );
      this.#version = rows[0]?.access_version;
      const [heardAtMs, databaseMs] = [performance.now(), Number(rows[0]?.now)];
      if (rows[0] !== undefined) this.#heard.time?.({ askedAtMs: askedAt, heardAtMs, databaseMs });
      this.#heardAt = askedAt;
      if (turn % FEEDS_EVERY === 0) await this.#pollFeeds(client);
      await this.#pause(POLL_MS);
    }
  }

  async #pollFeeds(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ slug: string; last_sequence: string }>(
      'select slug, last_sequence::text as last_sequence from service',
    );
    const heads = new Map(rows.map(({ slug, last_sequence }) => [slug, Number(last_sequence)]));
    const moved = [...heads].filter(([slug, head]) => this.#heads.get(slug) !== head);
    this.#heads = heads;
    if (moved.length > 0) this.#heard.feeds(moved.map(([slug]) => slug));
  }

  /** Ends at once where something is said. */
  async #pause(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#wake = new AbortController();
    const { signal } = this.#wake;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
