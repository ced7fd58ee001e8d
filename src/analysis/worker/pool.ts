import { fileURLToPath } from 'node:url';
import { Problem } from '../../domain/problem.ts';
import type {
  Analyser,
  AnalysisFailure,
  AnalysisOutcome,
  Isolation,
  SampleToAnalyse,
} from '../../ports/analyser.ts';
import { LIMITS } from '../limits.ts';
import { shownText } from '../printable-text.ts';
import type { RuleSource } from '../rules/rules.ts';
import { contradiction } from './check-answer.ts';
import { type Chain, type ChainOptions, chains } from './isolation.ts';
import type { Answer } from './messages.ts';
import { WorkerGone, WorkerProcess } from './worker-process.ts';

export interface PoolOptions extends Partial<ChainOptions> {
  readonly workers: number;
  readonly rules: readonly RuleSource[];
  /** Where programs are looked for. */
  readonly path: string;
  readonly hardTimeMs?: number | undefined;
  readonly samplesPerWorker?: number | undefined;
  /** Aborted when nobody needs it any more: it is not opened then. */
  readonly signal?: AbortSignal | undefined;
}

/** Loading the engine and compiling the rules, on a machine that has other things to do. */
const OPEN_TIMEOUT_MS = 60_000;
/** The memory of WebAssembly never shrinks: a worker is replaced after so many samples, */
const SAMPLES_PER_WORKER = 5000;
/** or when it has become so large. */
const LARGE_BYTES = 700 * 1024 * 1024;

const NO_BYTES: AsyncIterable<Uint8Array> = (async function* () {})();

interface Slot {
  readonly worker: WorkerProcess;
  samples: number;
  rssBytes: number;
}

/** Finds the strongest way to start a worker that works on this machine, and keeps a few of them. */
export async function openPool(wish: PoolOptions): Promise<Analyser> {
  const program = wish.program ?? fileURLToPath(new URL(`worker${extension()}`, import.meta.url));
  const isRoot = wish.isRoot ?? process.getuid?.() === 0;
  const failures: string[] = [];
  for (const chain of chains({ ...wish, program, isRoot })) {
    wish.signal?.throwIfAborted();
    const worker = new WorkerProcess(chain.command);
    const abandon = () => worker.kill();
    wish.signal?.addEventListener('abort', abandon);
    try {
      const ruleProblems = await openWorker(worker, wish.rules);
      return new Pool(wish, chain, failures, { worker, ruleProblems });
    } catch (cause) {
      if (!(cause instanceof WorkerGone)) throw cause;
      failures.push(`${chain.means.join(', ')}: ${cause.message}`);
      await worker.gone;
    } finally {
      wish.signal?.removeEventListener('abort', abandon);
    }
  }
  throw new Error(`no worker could be started (${failures.join('; ')})`);
}

/** Published, we are JavaScript. */
function extension(): string {
  return import.meta.url.endsWith('.ts') ? '.ts' : '.js';
}

async function openWorker(
  worker: WorkerProcess,
  rules: readonly RuleSource[],
): Promise<readonly string[]> {
  const answer = await worker.ask({ kind: 'open', rules }, NO_BYTES, OPEN_TIMEOUT_MS);
  if (answer.kind !== 'ready')
    throw new WorkerGone('bad-report', 'it did not say that it is ready');
  return answer.ruleProblems;
}

/** The machine has no room for a worker at the moment. No sample is to blame for it. */
class NoWorker extends Error {}

class Pool implements Analyser {
  readonly capacity: number;
  readonly isolation: Isolation;
  readonly ruleProblems: readonly string[];
  readonly #wish: PoolOptions;
  readonly #command: readonly string[];
  readonly #idle: Slot[] = [];
  /** Those that work, wait or start. */
  readonly #serving = new Set<WorkerProcess>();
  /** Those that get no more samples, until they are really gone. */
  readonly #leaving = new Set<WorkerProcess>();
  readonly #waiting: ((slot: Slot | Error) => void)[] = [];
  #isClosed = false;

  constructor(
    wish: PoolOptions,
    chain: Chain,
    failures: readonly string[],
    first: { readonly worker: WorkerProcess; readonly ruleProblems: readonly string[] },
  ) {
    this.#wish = wish;
    this.#command = chain.command;
    this.capacity = wish.workers;
    this.isolation = { means: chain.means, lacks: lacksOf(chain, failures) };
    this.ruleProblems = first.ruleProblems;
    this.#serving.add(first.worker);
    this.#give({ worker: first.worker, samples: 0, rssBytes: 0 });
  }

  async analyse(sample: SampleToAnalyse, now: Date): Promise<AnalysisOutcome> {
    const slot = await this.#take().catch((cause: Error) => cause);
    if (slot instanceof Error) return this.#failed(slot);
    try {
      const { fileName, sizeBytes, digests } = sample;
      const answer = await slot.worker.ask(
        { kind: 'analyse', fileName, sizeBytes, digests, at: now.toISOString() },
        sample.bytes,
        this.#wish.hardTimeMs ?? LIMITS.hardTimeMs,
      );
      return outcomeOf(answer, slot, sample);
    } catch (cause) {
      return this.#failed(cause);
    } finally {
      slot.samples += 1;
      this.#give(slot);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuse(this.#waiting.length, new Error('the pool is closed'));
    const workers = [...this.#serving, ...this.#leaving];
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ gone }) => gone));
  }

  #failed(cause: unknown): AnalysisOutcome {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { kind: 'failed', failure: this.#failureOf(cause), message };
  }

  #failureOf(cause: unknown): AnalysisFailure {
    if (this.#isClosed) return 'interrupted';
    if (cause instanceof WorkerGone) return cause.failure;
    const isOurs = cause instanceof Problem && cause.kind === 'unavailable';
    return isOurs || cause instanceof NoWorker ? 'unavailable' : 'unreadable';
  }

  async #take(): Promise<Slot> {
    if (this.#isClosed) throw new Error('the pool is closed');
    for (let slot = this.#idle.pop(); slot !== undefined; slot = this.#idle.pop()) {
      if (!slot.worker.isGone) return slot;
      this.#dismiss(slot.worker);
    }
    if (this.#serving.size < this.capacity) return await this.#start();
    const given = await new Promise<Slot | Error>((resolve) => this.#waiting.push(resolve));
    if (given instanceof Error) throw given;
    return given;
  }

  async #start(): Promise<Slot> {
    const worker = new WorkerProcess(this.#command);
    this.#serving.add(worker);
    try {
      await openWorker(worker, this.#wish.rules);
    } catch (cause) {
      this.#dismiss(worker);
      const failure = new NoWorker(`no worker could be started: ${(cause as Error).message}`);
      // With nobody left there is nobody who could ever be given to those who wait.
      if (this.#serving.size === 0) this.#refuse(this.#waiting.length, failure);
      throw failure;
    }
    return { worker, samples: 0, rssBytes: 0 };
  }

  /** Hands a worker on, or replaces it where it is gone, worn or large. */
  #give(slot: Slot): void {
    if (!this.#isWorn(slot) && !slot.worker.isGone) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(slot);
      else next(slot);
      return;
    }
    this.#dismiss(slot.worker);
    if (this.#isClosed) return;
    // Started at once, so that the next sample need not wait for it.
    this.#start().then(
      (fresh) => (this.#isClosed ? this.#dismiss(fresh.worker) : this.#give(fresh)),
      (cause: Error) => this.#refuse(1, cause),
    );
  }

  #isWorn({ samples, rssBytes }: Slot): boolean {
    const most = this.#wish.samplesPerWorker ?? SAMPLES_PER_WORKER;
    return samples >= most || rssBytes >= LARGE_BYTES;
  }

  #dismiss(worker: WorkerProcess): void {
    this.#serving.delete(worker);
    this.#leaving.add(worker);
    worker.end();
    void worker.gone.then(() => this.#leaving.delete(worker));
  }

  #refuse(count: number, cause: Error): void {
    for (const refuse of this.#waiting.splice(0, count)) refuse(cause);
  }
}

function outcomeOf(answer: Answer, slot: Slot, sample: SampleToAnalyse): AnalysisOutcome {
  if (answer.kind === 'ready') {
    slot.worker.kill();
    return { kind: 'failed', failure: 'bad-report', message: 'it answered something else' };
  }
  slot.rssBytes = answer.rssBytes;
  if (answer.kind === 'failed') {
    // Whatever the engine could not cope with may have left it in disorder.
    slot.worker.kill();
    return { kind: 'failed', failure: 'crashed', message: shownText(answer.message, 300) };
  }
  const wrong = contradiction(answer.analysis, sample);
  if (wrong !== undefined) {
    slot.worker.kill();
    return { kind: 'failed', failure: 'bad-report', message: wrong };
  }
  return { kind: 'done', analysis: answer.analysis };
}

/** What is missing on this machine; of what is there and does not work, why. */
function lacksOf(chain: Chain, failures: readonly string[]): readonly string[] {
  return chain.lacks.length === 0 ? [] : [...chain.lacks, ...failures];
}
