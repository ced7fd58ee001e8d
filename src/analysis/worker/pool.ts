import { Problem } from '../../domain/problem.ts';
import type {
  Analyser,
  AnalysisFailure,
  AnalysisOutcome,
  Isolation,
  SampleToAnalyse,
  WorkerCounts,
} from '../../ports/analyser.ts';
import { LIMITS } from '../limits.ts';
import { printableText } from '../printable-text.ts';
import { contradiction } from './contradiction.ts';
import type { ChainOptions, IsolationChain } from './isolation/chains.ts';
import type { WorkerResponse } from './messages.ts';
import { type OpeningWorker, type OpenOptions, openWorker, openWorkers } from './open-worker.ts';
import type { StartedProcess } from './start-first.ts';
import type { TimeLimits } from './time-watch.ts';
import { chainsOf } from './worker-chains.ts';
import { WorkerError, WorkerProcess } from './worker-process.ts';

export interface PoolOptions extends Partial<ChainOptions>, OpenOptions {
  readonly workers: number;
  /** How many start at once; the others start when they are needed. 1 by default. */
  readonly startedAtOnce?: number | undefined;
  /** A process of the strongest isolation that was started before. */
  readonly first?: StartedProcess | undefined;
  /** The search path for programs. */
  readonly path: string;
  /** The limits of an analysis; tests pass their own. */
  readonly limits?: TimeLimits | undefined;
  readonly samplesPerWorker?: number | undefined;
}

/** WebAssembly memory never shrinks, so a worker is replaced after this many samples, */
const SAMPLES_PER_WORKER = 5000;
/** or once it exceeds this size. */
const LARGE_BYTES = 700 * 1024 * 1024;

const HARD_LIMITS: TimeLimits = {
  elapsedMs: LIMITS.hardElapsedMs,
  processorMs: LIMITS.hardProcessorMs,
  idleMs: LIMITS.hardIdleMs,
};

interface Slot {
  readonly worker: WorkerProcess;
  samples: number;
  rssBytes: number;
}

/** Finds the strongest isolation that works on this machine, and keeps a pool of such workers. */
export async function openPool(options: PoolOptions): Promise<Analyser> {
  const { first, signal, startedAtOnce = 1 } = options;
  const failures: string[] = [];
  for (const [index, chain] of chainsOf(options).entries()) {
    signal?.throwIfAborted();
    const started = index === 0 ? first?.child : undefined;
    const processes = Array.from(
      { length: startedAtOnce },
      (_, count) => new WorkerProcess(chain, count === 0 ? started : undefined),
    );
    const abandon = () => {
      for (const worker of processes) worker.kill();
    };
    signal?.addEventListener('abort', abandon);
    const opening = openWorkers(processes, options);
    try {
      const ruleProblems = await opening[0]?.opened;
      return new Pool(options, chain, { failures, opening, ruleProblems: ruleProblems ?? [] });
    } catch (cause) {
      abandon();
      if (!(cause instanceof WorkerError)) throw cause;
      failures.push(`${chain.means.join(', ')}: ${cause.message}`);
      await Promise.all(processes.map(({ exited }) => exited));
    } finally {
      signal?.removeEventListener('abort', abandon);
    }
  }
  throw new Error(`no worker could be started (${failures.join('; ')})`);
}

/** The machine cannot start a worker at the moment; the sample is not the cause. */
class WorkerUnavailable extends Error {}

class Pool implements Analyser {
  readonly capacity: number;
  readonly isolation: Isolation;
  readonly ruleProblems: readonly string[];
  readonly #options: PoolOptions;
  readonly #chain: IsolationChain;
  readonly #idle: Slot[] = [];
  /** Busy, idle and starting workers. */
  readonly #serving = new Set<WorkerProcess>();
  /** Workers that get no more samples and have not exited yet. */
  readonly #exiting = new Set<WorkerProcess>();
  readonly #waiting: ((slot: Slot | Error) => void)[] = [];
  #isClosed = false;
  #busy = 0;
  #restarts = 0;

  constructor(
    options: PoolOptions,
    chain: IsolationChain,
    {
      failures,
      opening,
      ruleProblems,
    }: {
      readonly failures: readonly string[];
      readonly opening: readonly OpeningWorker[];
      readonly ruleProblems: readonly string[];
    },
  ) {
    this.#options = options;
    this.#chain = chain;
    this.capacity = options.workers;
    const { tier, means } = chain;
    this.isolation = { tier, means, lacks: lacksOf(chain, failures) };
    this.ruleProblems = ruleProblems;
    const [first, ...others] = opening;
    if (first !== undefined) {
      this.#serving.add(first.worker);
      this.#release({ worker: first.worker, samples: 0, rssBytes: 0 });
    }
    for (const started of others) this.#startAhead(started);
  }

  async analyse(sample: SampleToAnalyse, now: Date): Promise<AnalysisOutcome> {
    const slot = await this.#acquire().catch((cause: Error) => cause);
    if (slot instanceof Error) return this.#failed(slot);
    this.#busy += 1;
    try {
      const { fileName, sizeBytes, digests } = sample;
      const response = await slot.worker.request(
        { kind: 'analyse', fileName, sizeBytes, digests, at: now.toISOString() },
        sample.bytes,
        this.#options.limits ?? HARD_LIMITS,
      );
      return outcomeOf(response, slot, sample);
    } catch (cause) {
      return this.#failed(cause);
    } finally {
      this.#busy -= 1;
      slot.samples += 1;
      this.#release(slot);
    }
  }

  counts(): WorkerCounts {
    return { running: this.#serving.size, busy: this.#busy, restarts: this.#restarts };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuse(this.#waiting.length, new Error('the pool is closed'));
    const workers = [...this.#serving, ...this.#exiting];
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ exited }) => exited));
  }

  #failed(cause: unknown): AnalysisOutcome {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { kind: 'failed', failure: this.#failureOf(cause), message };
  }

  #failureOf(cause: unknown): AnalysisFailure {
    if (this.#isClosed) return 'interrupted';
    if (cause instanceof WorkerError) return cause.failure;
    const isUnavailable = cause instanceof Problem && cause.kind === 'unavailable';
    return isUnavailable || cause instanceof WorkerUnavailable ? 'unavailable' : 'unreadable';
  }

  async #acquire(): Promise<Slot> {
    if (this.#isClosed) throw new Error('the pool is closed');
    for (let slot = this.#idle.pop(); slot !== undefined; slot = this.#idle.pop()) {
      if (!slot.worker.hasEnded) return slot;
      this.#retire(slot.worker);
    }
    // The sample gets the worker that is free first, which need not be the new one.
    if (this.#serving.size < this.capacity) this.#startAhead();
    const assigned = await new Promise<Slot | Error>((resolve) => this.#waiting.push(resolve));
    if (assigned instanceof Error) throw assigned;
    return assigned;
  }

  #open(): OpeningWorker {
    return openWorker(new WorkerProcess(this.#chain), this.#options);
  }

  async #start({ worker, opened }: OpeningWorker): Promise<Slot> {
    this.#serving.add(worker);
    try {
      await opened;
    } catch (cause) {
      this.#retire(worker);
      const failure = new WorkerUnavailable(
        `no worker could be started: ${(cause as Error).message}`,
      );
      // Without any worker left, the waiting samples would wait forever.
      if (this.#serving.size === 0) this.#refuse(this.#waiting.length, failure);
      throw failure;
    }
    return { worker, samples: 0, rssBytes: 0 };
  }

  /**
   * Assigns the worker to the next waiting sample, or replaces it if it has exited, or has used too
   * much memory or analysed too many samples.
   */
  #release(slot: Slot): void {
    if (!this.#mustBeReplaced(slot) && !slot.worker.hasEnded) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(slot);
      else next(slot);
      return;
    }
    this.#retire(slot.worker);
    if (this.#isClosed) return;
    // Started immediately, so that the next sample does not wait for it.
    this.#startAhead();
  }

  #startAhead(opening?: OpeningWorker): void {
    this.#start(opening ?? this.#open()).then(
      (started) => (this.#isClosed ? this.#retire(started.worker) : this.#release(started)),
      (cause: Error) => this.#refuse(1, cause),
    );
  }

  #mustBeReplaced({ samples, rssBytes }: Slot): boolean {
    const maxSamples = this.#options.samplesPerWorker ?? SAMPLES_PER_WORKER;
    return samples >= maxSamples || rssBytes >= LARGE_BYTES;
  }

  #retire(worker: WorkerProcess): void {
    this.#serving.delete(worker);
    this.#exiting.add(worker);
    this.#restarts += 1;
    worker.end();
    void worker.exited.then(() => this.#exiting.delete(worker));
  }

  #refuse(count: number, cause: Error): void {
    for (const refuse of this.#waiting.splice(0, count)) refuse(cause);
  }
}

function outcomeOf(response: WorkerResponse, slot: Slot, sample: SampleToAnalyse): AnalysisOutcome {
  if (response.kind === 'ready') {
    slot.worker.kill();
    return {
      kind: 'failed',
      failure: 'bad-report',
      message: 'the worker sent an unexpected response',
    };
  }
  slot.rssBytes = response.rssBytes;
  if (response.kind === 'failed') {
    // The failure may have left the engine in an inconsistent state.
    slot.worker.kill();
    return { kind: 'failed', failure: 'crashed', message: printableText(response.message, 300) };
  }
  const wrong = contradiction(response.analysis, sample);
  if (wrong !== undefined) {
    slot.worker.kill();
    return { kind: 'failed', failure: 'bad-report', message: wrong };
  }
  return { kind: 'done', analysis: response.analysis };
}

/** The programs that are missing, and why stronger chains failed. */
function lacksOf(chain: IsolationChain, failures: readonly string[]): readonly string[] {
  return chain.lacks.length === 0 ? [] : [...chain.lacks, ...failures];
}
