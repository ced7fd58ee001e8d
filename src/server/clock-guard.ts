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
 * Keeps housekeeping from acting on a wrong time: what it lets expire and deletes does not come back when the clock is
 * right again.
 */
export class ClockGuard {
  readonly #deps: ClockDependencies;
  readonly #log: Pick<Log, 'error' | 'info'>;
  #fault: ClockFault | undefined;

  constructor(deps: ClockDependencies, log: Pick<Log, 'error' | 'info'>) {
    this.#deps = deps;
    this.#log = log;
  }

  /** The time by which housekeeping may act; `undefined` where it has to wait. */
  async trustedTime(): Promise<Date | undefined> {
    const checked = await checkClock(this.#deps);
    const fault = 'fault' in checked ? checked.fault : undefined;
    this.#tell(fault);
    return 'now' in checked ? checked.now : undefined;
  }

  showIn({ sources }: Pick<Metrics, 'sources'>): void {
    sources.clock = () => ({
      offsetSeconds: (this.#deps.clock.machineOffsetMs() ?? this.#fault?.driftMs ?? 0) / 1000,
      isPaused: this.#fault !== undefined || findOffset(this.#deps.clock) !== undefined,
    });
  }

  /** Once, not every time that it is asked. */
  #tell(fault: ClockFault | undefined): void {
    if (fault !== undefined && fault.kind !== this.#fault?.kind)
      this.#log.error(
        { offsetSeconds: Math.round(fault.driftMs / 1000) },
        `housekeeping waits: ${explainFault(fault)}`,
      );
    if (fault === undefined && this.#fault !== undefined)
      this.#log.info('the clock is right again: housekeeping goes on');
    this.#fault = fault;
  }
}
