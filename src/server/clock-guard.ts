import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import {
  type ClockDependencies,
  type ClockFault,
  checkClock,
  explainFault,
  findOffset,
} from '../operations/check-clock.ts';

/**
 * Pauses housekeeping while the clock is wrong: what expires or is deleted by a wrong time does not
 * come back when the clock is right again.
 */
export class ClockGuard {
  readonly #deps: ClockDependencies;
  readonly #log: Pick<Log, 'error' | 'info'>;
  #fault: ClockFault | undefined;

  constructor(deps: ClockDependencies, log: Pick<Log, 'error' | 'info'>) {
    this.#deps = deps;
    this.#log = log;
  }

  /** The time for housekeeping; `undefined` while the clock cannot be trusted. */
  async trustedTime(): Promise<Date | undefined> {
    const checked = await checkClock(this.#deps);
    const fault = 'fault' in checked ? checked.fault : undefined;
    this.#logChange(fault);
    return 'now' in checked ? checked.now : undefined;
  }

  exposeMetrics({ sources }: Pick<Metrics, 'sources'>): void {
    sources.clock = () => ({
      offsetSeconds: (this.#deps.clock.machineOffsetMs() ?? this.#fault?.driftMs ?? 0) / 1000,
      isPaused: this.#fault !== undefined || findOffset(this.#deps.clock) !== undefined,
    });
  }

  #logChange(fault: ClockFault | undefined): void {
    if (fault !== undefined && fault.kind !== this.#fault?.kind)
      this.#log.error(
        { offsetSeconds: Math.round(fault.driftMs / 1000) },
        `housekeeping is paused: ${explainFault(fault)}`,
      );
    if (fault === undefined && this.#fault !== undefined)
      this.#log.info('the clock is right again: housekeeping is resumed');
    this.#fault = fault;
  }
}
