import { Writable } from 'node:stream';
import type { Change } from '../src/domain/reports/change.ts';
import type { PositionBase, Positions } from '../src/domain/reports/cursor.ts';
import type {
  ChangesOutcome,
  ChangesQuery,
  FeedScope,
  FeedStore,
  Present,
} from '../src/ports/feed-store.ts';

/** In-memory feeds: the part of the store that stream readers use. */
export class FakeFeeds
  implements
    Pick<
      FeedStore,
      | 'changes'
      | 'heads'
      | 'secret'
      | 'onChange'
      | 'findPositions'
      | 'latestPositions'
      | 'storePositions'
    >
{
  readonly stored: PositionBase[] = [];
  readonly #log = new Map<string, Change[]>();
  readonly #listeners = new Set<(service: string) => void>();
  /** The last sequence of each feed whose changes were pruned. */
  readonly dropped = new Map<string, number>();
  /** Called during every read, to simulate concurrent writes. */
  meanwhile: (query: ChangesQuery) => void = () => undefined;
  reads = 0;

  get listeners(): number {
    return this.#listeners.size;
  }

  add(service: string): void {
    this.#log.set(service, []);
  }

  /** Commits a change without notifying the listeners, as another node does. */
  append(service: string, type: Change['type'] = 'created'): number {
    const log = this.#log.get(service) ?? [];
    this.#log.set(service, log);
    const sequence = log.length + 1;
    const at = new Date('2026-08-26T10:00:00Z');
    const reportId = `${service}-${sequence}`;
    log.push({ service, sequence, type, reportId, at, report: undefined });
    return sequence;
  }

  commit(service: string): number {
    const sequence = this.append(service);
    for (const listener of this.#listeners) listener(service);
    return sequence;
  }

  async changes<Content>(
    query: ChangesQuery,
    present: Present<Change, Content>,
  ): Promise<ChangesOutcome<Content>> {
    this.reads += 1;
    const read = this.#read(query);
    const outcome = typeof read === 'string' ? read : { ...read, changes: present(read.changes) };
    // The result is a snapshot of the start of the read.
    this.meanwhile(query);
    await Promise.resolve();
    return outcome;
  }

  async heads(scope: FeedScope): Promise<Positions> {
    return this.#headsOf(scope);
  }

  async findPositions(digest: string): Promise<PositionBase | undefined> {
    return this.stored.find((one) => one.digest === digest);
  }

  async latestPositions(): Promise<PositionBase | undefined> {
    return this.stored.at(-1);
  }

  async storePositions(positions: Positions): Promise<PositionBase> {
    const base = { digest: `base${this.stored.length}`, positions: new Map(positions) };
    this.stored.push(base);
    return base;
  }

  async secret(): Promise<Uint8Array> {
    return Buffer.alloc(32, 1);
  }

  onChange(listener: (service: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #headsOf(scope: FeedScope): Positions {
    const feeds = [...this.#log].filter(([slug]) => scope === undefined || slug === scope);
    return new Map(feeds.map(([slug, log]) => [slug, log.length]));
  }

  #read({ scope, since, limit }: ChangesQuery): ChangesOutcome<readonly Change[]> {
    const heads = this.#headsOf(scope);
    const next = new Map(heads.keys().map((slug) => [slug, since.get(slug) ?? 0]));
    for (const [slug, number] of next) {
      if (number > (heads.get(slug) ?? 0)) return 'ahead';
      if (number < (this.dropped.get(slug) ?? 0)) return 'too-old';
    }
    const after = [...next].flatMap(([slug, number]) => this.#log.get(slug)?.slice(number) ?? []);
    const changes = after.slice(0, limit);
    for (const { service, sequence } of changes) next.set(service, sequence);
    return { changes, next, heads, hasMore: after.length > limit };
  }
}

/** The receiving end of a stream. While `isReading` is false, writes stay pending. */
export class Outlet extends Writable {
  readonly chunks: Buffer[] = [];
  isReading = true;
  #pending: (() => void)[] = [];

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.chunks.push(chunk);
    if (this.isReading) done();
    else this.#pending.push(done);
  }

  /** Completes the pending writes. */
  take(): void {
    this.isReading = true;
    for (const done of this.#pending.splice(0)) done();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** The complete events, in order. */
  get events(): readonly { readonly event: string; readonly id: string; readonly data: Data }[] {
    const pattern = /^event: (\w+)\nid: (\S+)\ndata: (.*)$/;
    const whole = this.text.split('\n\n').slice(0, -1);
    return whole.flatMap((block) => {
      const [, event, id, data] = pattern.exec(block) ?? [];
      if (event === undefined || id === undefined || data === undefined) return [];
      return [{ event, id, data: JSON.parse(data) as Data }];
    });
  }
}

interface Data {
  readonly sequence: number;
  readonly service?: string;
  readonly reason?: string;
  readonly next?: string | number;
}
