import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { BuildQueue } from './build-queue.ts';
import type { Build, BuildEvent, FromThread, ThreadData } from './export-messages.ts';

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const PROGRAM = fileURLToPath(new URL(`export-thread.${EXTENSION}`, import.meta.url));
/**
 * Loads the program with the compile cache of the process, if it has one. Without it Node would
 * load its type stripper, which takes 20 MB.
 */
const SCRIPT = `
  const { compileCache } = require('node:worker_threads').workerData;
  if (compileCache !== undefined) require('node:module').enableCompileCache(compileCache);
  require(${JSON.stringify(PROGRAM)});
`;

const MAX_BUILDS = 2;
/** Those beyond are refused: each holds a connection, and would wait for long. */
const MAX_QUEUED = 32;
/** The memory of an idle thread is freed. */
const IDLE_MS = 30_000;
/** Batches of rows die young. The old generation is small: exporters keep a bounded state. */
const MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

export type BuilderOptions = Omit<ThreadData, 'compileCache'> & {
  readonly idleMs?: number;
};

interface Job {
  readonly id: number;
  readonly build: Build;
  readonly accountId: string;
  readonly onEvent: (event: BuildEvent) => void;
}

/** Runs builds in a thread, which is started on demand. */
export class ExportBuilder {
  readonly #options: BuilderOptions;
  readonly #running = new Map<number, Job>();
  readonly #queue = new BuildQueue<Job>(MAX_QUEUED);
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /** Whether another build would be refused. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /**
   * Queues a build for an account. Returns the function that cancels it. The last event is `done`
   * or `failed`.
   */
  start(build: Build, accountId: string, onEvent: (event: BuildEvent) => void): () => void {
    this.#lastId += 1;
    const job = { id: this.#lastId, build, accountId, onEvent };
    this.#queue.add(job);
    this.#next();
    return () => this.#cancel(job);
  }

  async close(): Promise<void> {
    this.#failAll(this.#queue.removeAll(), 'the server is shutting down');
    // The running builds fail after the thread has ended: until then it writes to their files.
    await this.#thread?.terminate();
    clearTimeout(this.#idle);
  }

  #cancel(job: Job): void {
    if (this.#running.has(job.id)) {
      this.#thread?.postMessage({ kind: 'cancel', id: job.id });
    } else if (this.#queue.remove(job)) {
      job.onEvent({ kind: 'failed', message: 'cancelled', code: 'ABORT_ERR' });
    }
  }

  #next(): void {
    clearTimeout(this.#idle);
    while (this.#running.size < MAX_BUILDS) {
      const job = this.#queue.take(this.#running.values());
      if (job === undefined) break;
      this.#running.set(job.id, job);
      this.#thread ??= this.#startThread();
      this.#thread.postMessage({ kind: 'build', id: job.id, build: job.build });
    }
    if (this.#running.size > 0) return;
    this.#idle = setTimeout(() => this.#stopThread(), this.#options.idleMs ?? IDLE_MS).unref();
  }

  #startThread(): Worker {
    const { database, folder } = this.#options;
    const workerData: ThreadData = { database, folder, compileCache: getCompileCacheDir() };
    const thread = new Worker(SCRIPT, { eval: true, workerData, resourceLimits: MEMORY });
    thread.unref();
    thread.on('message', (message: FromThread) => this.#receive(message));
    thread.on('error', (cause) => this.#lost(thread, (cause as Error).message));
    thread.on('exit', () => this.#lost(thread, 'the thread that builds exports ended'));
    return thread;
  }

  #receive({ id, ...event }: FromThread): void {
    const job = this.#running.get(id);
    if (job === undefined) return;
    if (event.kind === 'done' || event.kind === 'failed') this.#running.delete(id);
    job.onEvent(event);
    if (event.kind === 'done' || event.kind === 'failed') this.#next();
  }

  /** The next build starts another thread. */
  #lost(thread: Worker, message: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#failAll([...this.#running.values()], message);
    this.#next();
  }

  #failAll(jobs: readonly Job[], message: string): void {
    for (const { id, onEvent } of jobs) {
      this.#running.delete(id);
      onEvent({ kind: 'failed', message, code: undefined });
    }
  }

  #stopThread(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
  }
}
