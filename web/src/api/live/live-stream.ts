import { RapsheetError } from '../../../../src/client/error.ts';
import { client } from '../client.ts';
import type { LiveMessage, LiveState } from './messages.ts';

const RETRY_MS = 3000;

/**
 * Follows all feeds and reconnects after the last event, so that nothing is missed. It runs in the
 * shared worker, or in the tab if the browser has none.
 */
export class LiveStream {
  readonly #tell: (message: LiveMessage) => void;
  #state: LiveState = { kind: 'signed-out' };
  #lastEventId: string | undefined;

  constructor(tell: (message: LiveMessage) => void) {
    this.#tell = tell;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Without effect if it runs. */
  start(): void {
    if (this.#state.kind !== 'signed-out') return;
    this.#lastEventId = undefined;
    this.#become({ kind: 'connecting' });
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      const error = await this.#followUntilError();
      if (error instanceof RapsheetError && (error.status === 401 || error.status === 403)) break;
      this.#lose();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.#become({ kind: 'signed-out' });
  }

  async #followUntilError(): Promise<unknown> {
    const options = {
      lastEventId: this.#lastEventId,
      onConnection: (isOpen: boolean) => (isOpen ? this.#become({ kind: 'live' }) : this.#lose()),
    };
    try {
      for await (const event of client.followFeed('all', options)) {
        this.#lastEventId = event.id;
        this.#tell({ kind: 'event', event });
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #lose(): void {
    if (this.#state.kind !== 'lost') this.#become({ kind: 'lost', since: Date.now() });
  }

  #become(state: LiveState): void {
    this.#state = state;
    this.#tell({ kind: 'state', state });
  }
}
