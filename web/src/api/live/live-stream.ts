import type { RapsheetClient } from '../../../../src/client/client.ts';
import { RapsheetError } from '../../../../src/client/error.ts';
import type { LiveEvent, LiveState } from './messages.ts';

const RETRY_MS = 3000;

interface Listener {
  onState(state: LiveState): void;
  onEvent(event: LiveEvent): void;
}

/**
 * Follows all feeds. It resumes after the last event, so that nothing is missed. If it cannot know
 * what was missed, as at a start without a position, it sends a reset.
 */
export class LiveStream {
  readonly #client: Pick<RapsheetClient, 'followFeed'>;
  readonly #listener: Listener;
  #state: LiveState = { kind: 'idle' };
  #lastEventId: string | undefined;
  #run: AbortController | undefined;

  constructor(client: Pick<RapsheetClient, 'followFeed'>, listener: Listener) {
    this.#client = client;
    this.#listener = listener;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Has no effect if the stream is running. It resumes if it ran before, else at the position. */
  start(position?: string): void {
    if (this.#run !== undefined) return;
    this.#lastEventId ??= position;
    if (this.#state.kind !== 'lost') this.#become({ kind: 'connecting' });
    this.#run = new AbortController();
    void this.#follow(this.#run.signal);
  }

  /** Closes the connection. A later start resumes after the last event. */
  stop(): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#become({ kind: 'idle' });
  }

  /** Connects at once if the connection is lost. */
  retry(): void {
    if (this.#state.kind !== 'lost') return;
    this.#run?.abort();
    this.#run = undefined;
    this.start();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const error = await this.#followUntilError(signal);
      if (signal.aborted) return;
      if (error instanceof RapsheetError && (error.status === 401 || error.status === 403)) {
        this.#run = undefined;
        this.#lastEventId = undefined;
        this.#become({ kind: 'signed-out' });
        return;
      }
      this.#lose();
      await sleep(RETRY_MS, signal);
    }
  }

  async #followUntilError(signal: AbortSignal): Promise<unknown> {
    let isResumed = this.#lastEventId !== undefined;
    const onConnection = (isOpen: boolean) => {
      if (signal.aborted) return;
      if (!isOpen) return this.#lose();
      this.#become({ kind: 'live' });
      if (!isResumed) this.#listener.onEvent({ kind: 'reset' });
      // From here on the client resumes by itself.
      isResumed = true;
    };
    const options = { lastEventId: this.#lastEventId, signal, onConnection };
    try {
      for await (const event of this.#client.followFeed('all', options)) {
        if (signal.aborted) return undefined;
        this.#lastEventId = event.id;
        this.#listener.onEvent(event.kind === 'reset' ? { kind: 'reset' } : event);
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
    this.#listener.onState(state);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
