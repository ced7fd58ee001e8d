import { setTimeout as pause } from 'node:timers/promises';
import type { FeedClient } from './feed-client.ts';
import { FeedReplica, type WireChange } from './feed-replica.ts';

/**
 * Follows feeds in one way, until it is told to stop; whatever breaks, it goes on from where it
 * was.
 */
export interface Reader {
  readonly replica: FeedReplica;
  /** The feeds it follows. */
  readonly services: readonly string[];
  run(stop: AbortSignal): Promise<void>;
  /** Breaks off what it is doing, as a reader that crashes does. */
  interrupt(): void;
}

const PAGE = 7;

abstract class ResumingReader implements Reader {
  readonly replica: FeedReplica;
  readonly services: readonly string[];
  protected readonly client: FeedClient;
  #current = new AbortController();

  constructor(name: string, client: FeedClient, services: readonly string[]) {
    this.replica = new FeedReplica(name);
    this.client = client;
    this.services = services;
  }

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      this.#current = new AbortController();
      const signal = AbortSignal.any([stop, this.#current.signal]);
      // Broken off by us, by the server's end or by its restart: the next turn takes up where this
      // one was.
      await this.follow(signal).catch(() => pause(20));
    }
  }

  interrupt(): void {
    this.#current.abort();
  }

  protected abstract follow(signal: AbortSignal): Promise<void>;
}

/** Asks for the changes after those it has. */
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

/** Reads the stream, and resumes it by the id of the last event it has. */
export class StreamReader extends ResumingReader {
  #lastId: string | undefined;

  protected async follow(signal: AbortSignal): Promise<void> {
    const scope = this.services.length === 1 ? (this.services[0] ?? '') : 'all';
    // From the very beginning: writers may have begun before the first stream is open.
    const path = `/feed/${scope}/stream${this.#lastId === undefined ? '?since=0' : ''}`;
    for await (const { id, event, data } of this.client.events(path, this.#lastId, signal)) {
      if (event === 'reset')
        this.replica.broken.push(`${this.replica.name} was told to begin anew`);
      else {
        const change = JSON.parse(data) as WireChange;
        this.replica.apply(change.service ?? scope, change);
        this.#lastId = id;
      }
    }
  }
}
