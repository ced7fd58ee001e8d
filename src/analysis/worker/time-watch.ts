import type { ProcessTimes } from './process-times.ts';

/** Limits of one request to a worker. */
export interface TimeLimits {
  readonly elapsedMs: number;
  /** Only known on Linux. */
  readonly processorMs?: number | undefined;
  /** How long a worker may wait without using a processor. */
  readonly idleMs?: number | undefined;
}

/** Decides from readings of a process whether its request has taken too long. */
export class TimeWatch {
  readonly #limits: TimeLimits;
  readonly #startedAt: number;
  #lastActiveAt: number;
  /** At the first reading, which is soon after the start. */
  #firstProcessorMs: number | undefined;

  constructor(limits: TimeLimits, now: number) {
    this.#limits = limits;
    this.#startedAt = now;
    this.#lastActiveAt = now;
  }

  /** Something was sent to the worker, which may have waited for it. */
  sent(now: number): void {
    this.#lastActiveAt = now;
  }

  /** Returns why the worker is to be killed, if it is. */
  excess(now: number, times: ProcessTimes | undefined): string | undefined {
    const { elapsedMs, processorMs, idleMs } = this.#limits;
    if (now - this.#startedAt >= elapsedMs) return `it took longer than ${seconds(elapsedMs)}`;
    if (times === undefined) return undefined;
    this.#firstProcessorMs ??= times.processorMs;
    const used = times.processorMs - this.#firstProcessorMs;
    // A worker on a busy machine waits for a processor: it is active, although it uses none.
    if (times.isActive) this.#lastActiveAt = now;
    if (processorMs !== undefined && used >= processorMs)
      return `it took longer than ${seconds(processorMs)} of processor time`;
    if (idleMs !== undefined && now - this.#lastActiveAt >= idleMs)
      return `it did nothing for ${seconds(idleMs)}`;
    return undefined;
  }
}

function seconds(ms: number): string {
  return `${ms / 1000} seconds`;
}
