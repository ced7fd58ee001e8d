import { MINUTE_MS } from '../domain/duration.ts';
import type { Log } from '../observability/log.ts';

const QUIET_MS = 10 * MINUTE_MS;
/** Destinations beyond this are logged again before the quiet time ends. */
const MAX_DESTINATIONS = 10_000;

interface Failing {
  loggedAt: number;
  /** Failures that were not logged since then. */
  unlogged: number;
}

/** Logs failed deliveries as warnings: of one destination at most one in ten minutes. */
export class FailureLog {
  readonly #log: Log;
  readonly #now: () => Date;
  readonly #failing = new Map<string, Failing>();

  constructor(log: Log, now: () => Date) {
    this.#log = log;
    this.#now = now;
  }

  failed(destination: string, fields: object, message: string): void {
    const now = this.#now().getTime();
    const failing = this.#failing.get(destination);
    if (failing !== undefined && Math.abs(now - failing.loggedAt) < QUIET_MS) {
      failing.unlogged += 1;
      return;
    }
    const unlogged = failing?.unlogged ?? 0;
    this.#log.warn({ ...fields, ...(unlogged > 0 && { unlogged }) }, message);
    this.#failing.delete(destination);
    this.#failing.set(destination, { loggedAt: now, unlogged: 0 });
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    if (this.#failing.size <= MAX_DESTINATIONS) return;
    const [oldest] = this.#failing.keys();
    if (oldest !== undefined) this.#failing.delete(oldest);
  }
}
