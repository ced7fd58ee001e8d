import type { RapsheetClient } from '../../../../src/client/client.ts';
import { LiveStream } from './live-stream.ts';
import type { LiveEvent, LiveMessage, LiveStart } from './messages.ts';

/** A tab, or the page itself in browsers without shared workers. */
export interface Tab {
  post(message: LiveMessage): void;
}

/** How many events are kept for tabs that join late or come back. */
const MAX_RECENT = 1000;

/**
 * One stream for all tabs: a browser opens at most six connections to a server over HTTP/1.1, and
 * the seventh tab would not load. A stream per tab (`LiveStream`) would replace it.
 *
 * A tab that joins receives the events since it began to load, so that there is no gap between the
 * data that it fetched and the events.
 */
export class LiveHub {
  readonly #tabs = new Set<Tab>();
  readonly #stream: LiveStream;
  #recent: { readonly at: number; readonly event: LiveEvent }[] = [];
  /** The time of the last event that is no longer kept. */
  #droppedAt = 0;

  constructor(client: Pick<RapsheetClient, 'followFeed'>) {
    this.#stream = new LiveStream(client, {
      onState: (state) => this.#tellAll({ kind: 'state', state }),
      onEvent: (event) => this.#keepAndTell(event),
    });
  }

  join(tab: Tab, { since, position }: LiveStart): void {
    this.#tabs.add(tab);
    // `signed-out` refers to an earlier session.
    if (this.#stream.state.kind !== 'signed-out')
      tab.post({ kind: 'state', state: this.#stream.state });
    const missed =
      this.#droppedAt >= since
        ? [{ event: { kind: 'reset' } as const }]
        : this.#recent.filter(({ at }) => at >= since);
    for (const { event } of missed) tab.post({ kind: 'event', event });
    this.#stream.start(position);
  }

  /** The stream ends with the last tab. */
  leave(tab: Tab): void {
    this.#tabs.delete(tab);
    if (this.#tabs.size === 0) this.#stream.stop();
  }

  /** Ends the stream for all tabs, even for those that closed without a message. */
  end(): void {
    this.#tabs.clear();
    this.#stream.stop();
  }

  retry(): void {
    this.#stream.retry();
  }

  beat(): void {
    this.#tellAll({ kind: 'beat' });
  }

  #keepAndTell(event: LiveEvent): void {
    this.#recent.push({ at: Date.now(), event });
    if (this.#recent.length > 2 * MAX_RECENT) {
      this.#droppedAt = this.#recent.at(-MAX_RECENT - 1)?.at ?? 0;
      this.#recent = this.#recent.slice(-MAX_RECENT);
    }
    this.#tellAll({ kind: 'event', event });
  }

  #tellAll(message: LiveMessage): void {
    for (const tab of this.#tabs) tab.post(message);
  }
}
