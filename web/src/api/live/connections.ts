import { client } from '../client.ts';
import { LiveHub } from './live-hub.ts';
import type { LiveMessage, TabMessage } from './messages.ts';

/** Connects a tab to the stream. */
export interface LiveConnection {
  /** Starts or resumes the stream. Has no effect if it is running. */
  start(position?: string): void;
  /** Ends the stream of all tabs: the account has signed out. */
  stop(): void;
  /** Connects at once if the connection is lost. */
  retry(): void;
}

type Receive = (message: LiveMessage) => void;

export function connectLive(receive: Receive): LiveConnection {
  return globalThis.SharedWorker === undefined
    ? new TabConnection(receive)
    : new WorkerConnection(receive);
}

/** After three missing heartbeats the worker is considered terminated by the browser. */
const SILENT_MS = 35_000;
/** A worker answers a new tab at once, unless the browser was terminating it. */
const UNANSWERED_MS = 5000;

/** The stream of all tabs, in a shared worker. */
class WorkerConnection implements LiveConnection {
  readonly #receive: Receive;
  #port: MessagePort | undefined;
  /** The tab has all events up to this time: its data was fetched after the page began to load. */
  #heardAt = Date.now() - performance.now();
  /** The last start that the worker has not answered. */
  #unanswered: { readonly at: number; readonly position: string | undefined } | undefined;

  constructor(receive: Receive) {
    this.#receive = receive;
    let wasStarted = false;
    addEventListener('pagehide', () => {
      wasStarted = this.#port !== undefined;
      this.#leave('leave');
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted && wasStarted) this.start();
    });
    setInterval(() => {
      if (this.#port === undefined || !this.#isSilent()) return;
      const position = this.#unanswered?.position;
      this.#leave('leave');
      this.start(position);
    }, UNANSWERED_MS);
  }

  #isSilent(): boolean {
    if (this.#unanswered !== undefined) return Date.now() - this.#unanswered.at >= UNANSWERED_MS;
    return Date.now() - this.#heardAt >= SILENT_MS;
  }

  start(position?: string): void {
    this.#port ??= this.#open();
    this.#unanswered = { at: Date.now(), position };
    this.#send({ kind: 'join', start: { since: this.#heardAt, position } });
  }

  stop(): void {
    this.#leave('end');
  }

  retry(): void {
    this.#send({ kind: 'retry' });
  }

  #open(): MessagePort {
    const { port } = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
      type: 'module',
      name: 'rapsheet-live',
    });
    port.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => {
      if (port !== this.#port) return;
      this.#heardAt = Date.now();
      this.#unanswered = undefined;
      if (data.kind !== 'beat') this.#receive(data);
    });
    port.start();
    return port;
  }

  #leave(kind: 'leave' | 'end'): void {
    this.#send({ kind });
    this.#port = undefined;
  }

  #send(message: TabMessage): void {
    this.#port?.postMessage(message);
  }
}

/**
 * A stream for this tab only, in browsers without shared workers. It is closed while the tab
 * is hidden, so that any number of tabs uses one connection.
 */
class TabConnection implements LiveConnection {
  readonly #hub = new LiveHub(client);
  readonly #tab: { readonly post: Receive };
  #isStarted = false;

  constructor(receive: Receive) {
    this.#tab = { post: receive };
    document.addEventListener('visibilitychange', () => this.#follow());
    addEventListener('online', () => this.retry());
  }

  start(position?: string): void {
    this.#isStarted = true;
    this.#follow(position);
  }

  stop(): void {
    this.#isStarted = false;
    this.#hub.end();
  }

  retry(): void {
    this.#hub.retry();
  }

  #follow(position?: string): void {
    if (document.hidden) this.#hub.leave(this.#tab);
    else if (this.#isStarted) this.#hub.join(this.#tab, { since: Date.now(), position });
  }
}
