import { setTimeout as pause } from 'node:timers/promises';
import { FeedReplica, type WireChange } from './feed-replica.ts';
import type { TestClient } from './test-client.ts';

/** Follows feeds until it is stopped. After an interruption it resumes at its last position. */
export interface Reader {
  readonly replica: FeedReplica;
  /** The feeds it follows. */
  readonly services: readonly string[];
  run(stop: AbortSignal): Promise<void>;
  /** Aborts the current request, as in a crash of the reader. */
  interrupt(): void;
}

const PAGE = 7;

abstract class ResumingReader implements Reader {
  readonly replica: FeedReplica;
  readonly services: readonly string[];
  protected readonly client: TestClient;
  #current = new AbortController();

  constructor(name: string, client: TestClient, services: readonly string[]) {
    this.replica = new FeedReplica(name);
    this.client = client;
    this.services = services;
  }

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      this.#current = new AbortController();
      const signal = AbortSignal.any([stop, this.#current.signal]);
      // After an interruption or a kill of the server the next iteration resumes.
      await this.follow(signal).catch(() => pause(20));
    }
  }

  interrupt(): void {
    this.#current.abort();
  }

  protected abstract follow(signal: AbortSignal): Promise<void>;
}

/** Polls for changes after its last position. */
export class Poller extends ResumingReader {
  #since = '0';

  protected async follow(signal: AbortSignal): Promise<void> {
    const scope = this.services.length === 1 ? (this.services[0] ?? '') : 'all';
    const since = scope === 'all' && this.#since === '0' ? '' : `&since=${this.#since}`;
    const page = await this.client.get(`/feed/${scope}/changes?limit=${PAGE}${since}`, signal);
    for (const change of page['changes'] as WireChange[])
      this.replica.apply(change.service ?? scope, change);
    this.#since = String(page['next']);
    if (page['hasMore'] !== true) await pause(10);
  }
}

/** Reads the stream, and resumes it with the id of the last event. */
export class StreamReader extends ResumingReader {
  #lastId: string | undefined;

  protected async follow(signal: AbortSignal): Promise<void> {
    const scope = this.services.length === 1 ? (this.services[0] ?? '') : 'all';
    // From the start of the feed: writers may have started before the first stream is open.
    const path = `/feed/${scope}/stream${this.#lastId === undefined ? '?since=0' : ''}`;
    for await (const { id, event, data } of this.client.events(path, this.#lastId, signal)) {
      if (event === 'reset') this.replica.broken.push(`${this.replica.name} received a reset`);
      else {
        const change = JSON.parse(data) as WireChange;
        this.replica.apply(change.service ?? scope, change);
        this.#lastId = id;
      }
    }
  }
}
