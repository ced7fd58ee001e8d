import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pause } from '../../platform/pause.ts';
import { SELECT_OLDEST } from '../admission.ts';
import { DATABASE_MS, type TimeSample } from './clock.ts';

/** Shared by all nodes of a store. */
const CHANNEL = 'rapsheet';
const NOTIFY = 'select pg_notify($1, $2)';
/** PostgreSQL limits a payload to 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7000;
/** While callers are checked. */
const POLL_MS = 250;
/** While no caller is checked. The next one starts a poll, and is checked in the store. */
const IDLE_POLL_MS = 10_000;
/** How long access counts as used: longer than the pause between two checks of a stream. */
const IN_USE_MS = 3000;
const FEED_POLL_MS = 1000;
/** If the last poll is older, access caches must not be used. */
const FRESH_MS = 900;
const MAX_PAUSE_MS = 1000;
/** The statements here return at once. A connection that takes longer is replaced. */
const QUERY_TIMEOUT_MS = 2000;

export interface ChangeListener {
  /** Called with feeds that may have changed. */
  feeds(slugs: readonly string[]): void;
  /** Whether anybody waits for changes of feeds. If not, feeds are not polled. */
  isFollowed?(): boolean;
  /** Called when another node has queued deliveries. */
  deliveries(): void;
  /** Called when another node has queued jobs. */
  jobs?(): void;
  /** Called with the time of the database at each poll. */
  time?(sample: TimeSample): void;
  /** Called with the oldest schema that the store admits, at each poll. */
  admission?(oldestSchema: string | null): void;
}

interface PollRow {
  readonly access_version: string;
  readonly now: number;
  readonly oldest_schema: string | null;
}

/**
 * Exchanges changes with the other nodes of a store. `notify` makes them arrive quickly. It is not
 * relied on: polls of the access version and of the feeds' sequences find changes whose
 * notification was lost with a connection or in a pooler. An idle node polls rarely; feeds are
 * polled while a client follows one.
 *
 * A payload is `<node id> access`, `<node id> deliveries`, `<node id> jobs` or
 * `<node id> feeds <slug> <slug> …`.
 */
export class ChangeChannel {
  readonly #options: pg.ClientConfig;
  readonly #listener: ChangeListener;
  readonly #node = randomUUID();
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #running: Promise<void> = Promise.resolve();
  #wake = new AbortController();
  #accessVersion: unknown;
  #reportedVersion: unknown;
  #isAccessNotified = false;
  #polledAt = Number.NEGATIVE_INFINITY;
  #usedAt = Number.NEGATIVE_INFINITY;
  #isBetweenPolls = false;
  #feedsPolledAt = Number.NEGATIVE_INFINITY;
  #sequences = new Map<string, number>();
  readonly #unsent = new Set<string>();
  readonly #unsentKinds = new Set<'deliveries' | 'jobs'>();
  #isSending = false;

  constructor(options: pg.ClientConfig, listener: ChangeListener) {
    this.#options = options;
    this.#listener = listener;
  }

  start(): void {
    this.#running = this.#run();
  }

  /**
   * Whether accounts, tokens or services may have changed since the last call. Always true while
   * the database cannot be reached.
   */
  hasAccessChanged(): boolean {
    this.#usedAt = performance.now();
    const isFresh = this.#usedAt - this.#polledAt < FRESH_MS;
    if (!isFresh && this.#isBetweenPolls) this.#wake.abort();
    const changed =
      !isFresh || this.#isAccessNotified || this.#accessVersion !== this.#reportedVersion;
    this.#isAccessNotified = false;
    this.#reportedVersion = this.#accessVersion;
    return changed;
  }

  /**
   * Notifies the other nodes when the transaction of that connection commits. It uses the
   * transaction because the process may be a command that exits right after its commit.
   */
  async notifyAccessChange(client: pg.ClientBase): Promise<void> {
    await client.query(NOTIFY, [CHANNEL, this.#payload('access', [])]);
  }

  /**
   * Notifies the other nodes of changed feeds and of queued deliveries and jobs. If that fails,
   * they find all of them by polling. Changes during a notification are sent in the next one: one
   * notification per change would exceed what the connection can send, and delay its polls.
   */
  notify(feeds: readonly string[], { hasDeliveries = false, hasJobs = false } = {}): void {
    for (const slug of feeds) this.#unsent.add(slug);
    if (hasDeliveries) this.#unsentKinds.add('deliveries');
    if (hasJobs) this.#unsentKinds.add('jobs');
    if (!this.#isSending) void this.#send();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#running;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    for (let next = this.#nextPayload(); next !== undefined; next = this.#nextPayload())
      await this.#client?.query(NOTIFY, [CHANNEL, next]).catch(() => undefined);
    this.#isSending = false;
  }

  #nextPayload(): string | undefined {
    const [kind] = this.#unsentKinds;
    if (kind !== undefined) {
      this.#unsentKinds.delete(kind);
      return this.#payload(kind, []);
    }
    const slugs = this.#takeUnsent();
    return slugs.length > 0 ? this.#payload('feeds', slugs) : undefined;
  }

  /** As many as fit into one payload. */
  #takeUnsent(): readonly string[] {
    const slugs: string[] = [];
    let bytes = 0;
    for (const slug of this.#unsent) {
      bytes += slug.length + 1;
      if (bytes > MAX_PAYLOAD_BYTES) break;
      slugs.push(slug);
      this.#unsent.delete(slug);
    }
    return slugs;
  }

  #payload(kind: 'access' | 'deliveries' | 'jobs' | 'feeds', slugs: readonly string[]): string {
    return [this.#node, kind, ...slugs].join(' ');
  }

  #receive(payload: string): void {
    const [node, kind, ...slugs] = payload.split(' ');
    if (node === this.#node) return;
    if (kind === 'feeds') this.#listener.feeds(slugs);
    if (kind === 'deliveries') this.#listener.deliveries();
    if (kind === 'jobs') this.#listener.jobs?.();
    if (kind !== 'access') return;
    this.#isAccessNotified = true;
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#stopping.signal.aborted; failures += 1) {
      const client = new pg.Client({
        ...this.#options,
        query_timeout: QUERY_TIMEOUT_MS,
        // Notifications need not survive a crash, nor wait for a disk or a replica.
        options: `${this.#options.options ?? ''} -c synchronous_commit=off`,
      });
      // The failing query reports it as well. Without a listener the error would end the process.
      client.on('error', () => this.#wake.abort());
      try {
        await client.connect();
        client.on('notification', ({ payload = '' }) => this.#receive(payload));
        await client.query(`listen ${CHANNEL}`);
        this.#client = client;
        failures = 0;
        await this.#poll(client);
      } catch {
        // Until the next connection succeeds, `hasAccessChanged` returns true.
      }
      this.#client = undefined;
      // Not awaited: a hanging connection may never end.
      client.end().catch(() => undefined);
      await this.#pause(Math.min(MAX_PAUSE_MS, 50 * 2 ** failures));
    }
  }

  /** Returns when stopped, throws when the connection fails. */
  async #poll(client: pg.Client): Promise<void> {
    this.#feedsPolledAt = Number.NEGATIVE_INFINITY;
    while (!this.#stopping.signal.aborted) {
      const sentAtMs = performance.now();
      const { rows } = await client.query<PollRow>(
        `select access_version::text as access_version, ${DATABASE_MS} as now,
          (${SELECT_OLDEST}) as oldest_schema from installation`,
      );
      this.#accessVersion = rows[0]?.access_version;
      this.#listener.admission?.(rows[0]?.oldest_schema ?? null);
      const [receivedAtMs, databaseMs] = [performance.now(), Number(rows[0]?.now)];
      if (rows[0] !== undefined) this.#listener.time?.({ sentAtMs, receivedAtMs, databaseMs });
      this.#polledAt = sentAtMs;
      if (this.#areFeedsDue()) await this.#pollFeeds(client);
      this.#isBetweenPolls = true;
      await this.#pause(performance.now() - this.#usedAt < IN_USE_MS ? POLL_MS : IDLE_POLL_MS);
      this.#isBetweenPolls = false;
    }
  }

  #areFeedsDue(): boolean {
    const isFollowed = this.#listener.isFollowed?.() ?? true;
    return isFollowed && performance.now() - this.#feedsPolledAt >= FEED_POLL_MS;
  }

  async #pollFeeds(client: pg.Client): Promise<void> {
    this.#feedsPolledAt = performance.now();
    const { rows } = await client.query<{ slug: string; last_sequence: string }>(
      'select slug, last_sequence::text as last_sequence from service',
    );
    const sequences = new Map(rows.map(({ slug, last_sequence }) => [slug, Number(last_sequence)]));
    // A new feed has no change yet.
    const changed = [...sequences].filter(
      ([slug, last]) => last !== (this.#sequences.get(slug) ?? 0),
    );
    this.#sequences = sequences;
    if (changed.length > 0) this.#listener.feeds(changed.map(([slug]) => slug));
  }

  /** An access notification ends it early. */
  async #pause(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#wake = new AbortController();
    await pause(ms, this.#wake.signal);
  }
}
