import { setTimeout as pause } from 'node:timers/promises';
import { Picture, type WireChange } from './picture.ts';
import type { Site } from './site.ts';

/**
 * Follows feeds in one way, until it is told to stop; whatever breaks, it goes on from where it
 * was.
 */
export interface Reader {
  readonly picture: Picture;
  /** The feeds it follows. */
  readonly services: readonly string[];
  run(stop: AbortSignal): Promise<void>;
  /** Breaks off what it is doing, as a reader that crashes does. */
  interrupt(): void;
}

const PAGE = 7;

abstract class Following implements Reader {
  readonly picture: Picture;
  readonly services: readonly string[];
  protected readonly site: Site;
  #current = new AbortController();

  constructor(name: string, site: Site, services: readonly string[]) {
    this.picture = new Picture(name);
    this.site = site;
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
export class Poller extends Following {
  #since = '0';

  protected async follow(signal: AbortSignal): Promise<void> {
    const scope = this.services.length === 1 ? (this.services[0] ?? '') : 'all';
    const since = scope === 'all' && this.#since === '0' ? '' : `&since=${this.#since}`;
    const page = await this.site.get(`/feed/${scope}/changes?limit=${PAGE}${since}`, signal);
    for (const change of page['changes'] as WireChange[])
      this.picture.apply(change.service ?? scope, change);
    this.#since = String(page['next']);
    if (page['hasMore'] !== true) await pause(10);
  }
}

/** Reads the stream, and resumes it by the id of the last event it has. */
export class StreamReader extends Following {
  #lastId: string | undefined;

  protected async follow(signal: AbortSignal): Promise<void> {
    const scope = this.services.length === 1 ? (this.services[0] ?? '') : 'all';
    // From the very beginning: writers may have begun before the first stream is open.
    const path = `/feed/${scope}/stream${this.#lastId === undefined ? '?since=0' : ''}`;
    for await (const { id, event, data } of this.site.events(path, this.#lastId, signal)) {
      if (event === 'reset')
        this.picture.broken.push(`${this.picture.name} was told to begin anew`);
      else {
        const change = JSON.parse(data) as WireChange;
        this.picture.apply(change.service ?? scope, change);
        this.#lastId = id;
      }
    }
  }
}
