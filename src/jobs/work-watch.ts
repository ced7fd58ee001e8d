import type { Log } from '../observability/log.ts';
import type { PendingWork } from '../ports/pending-work.ts';
import type { Store } from '../ports/store.ts';

/** Work of other processes, and work that becomes due, is found after at most this long. */
const LOOK_INTERVAL_MS = 2000;

export interface WorkWatchDependencies {
  readonly store: Pick<Store, 'pendingWork'>;
  readonly now: () => Date;
  readonly log: Pick<Log, 'error'>;
  /** The id of the key that seals the secrets of webhooks; absent in a process that sends none. */
  readonly keyId?: string;
}

/**
 * Looks for background work with one read for all kinds of it, and starts what is due. An idle
 * process sends no other statements: every kind used to look on its own, most of them in a
 * transaction that writes.
 */
export class WorkWatch {
  readonly #deps: WorkWatchDependencies;
  readonly #listeners: { readonly kind: keyof PendingWork; readonly wake: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: WorkWatchDependencies) {
    this.#deps = deps;
    this.#schedule(0);
  }

  /** Calls `wake` at every look that finds such work. */
  on(kind: keyof PendingWork, wake: () => void): void {
    this.#listeners.push({ kind, wake });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { store, now, keyId = '', log } = this.#deps;
    try {
      const pending = await store.pendingWork({ now: now(), keyId });
      if (this.#isStopped) return;
      for (const { kind, wake } of this.#listeners) if (pending[kind]) wake();
    } catch (err) {
      log.error({ err }, 'background work could not be looked for');
    }
    this.#schedule(LOOK_INTERVAL_MS);
  }
}
