import { LIMITS } from './limits.ts';

/** Readings in milliseconds, from any start. */
export interface Clocks {
  /** Processor time of this process, of all its threads. */
  readonly processorMs: () => number;
  readonly elapsedMs: () => number;
}

const OWN_CLOCKS: Clocks = {
  processorMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  elapsedMs: () => performance.now(),
};

/**
 * No process uses more processors than this for long: the engine has one thread, and helpers for
 * collecting garbage, compiling and unpacking.
 */
const MAX_PROCESSORS = 8;
const MIN_INTERVAL_MS = 1;

/**
 * The time of one analysis. It is processor time, so that a busy machine gives the same results as
 * an idle one. The elapsed time has a generous limit of its own.
 */
export class AnalysisTime {
  readonly #clocks: Clocks;
  readonly #processorEnd: number;
  readonly #elapsedEnd: number;
  #nextReading: number;

  constructor(clocks = OWN_CLOCKS) {
    this.#clocks = clocks;
    this.#processorEnd = clocks.processorMs() + LIMITS.softProcessorMs;
    const now = clocks.elapsedMs();
    this.#elapsedEnd = now + LIMITS.softElapsedMs;
    this.#nextReading = now + LIMITS.softProcessorMs / MAX_PROCESSORS;
  }

  /**
   * Called in inner loops. Reading the processor time is a system call, so it is read only if the
   * elapsed time is long enough for the rest of the processor time.
   */
  isOver(): boolean {
    const now = this.#clocks.elapsedMs();
    if (now > this.#elapsedEnd) return true;
    if (now < this.#nextReading) return false;
    const left = this.#processorEnd - this.#clocks.processorMs();
    this.#nextReading = now + Math.max(left / MAX_PROCESSORS, MIN_INTERVAL_MS);
    return left < 0;
  }
}
