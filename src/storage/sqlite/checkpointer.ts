import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { checkpointThread } from './checkpoint-thread.ts';

const SCRIPT = `(${checkpointThread})(require('node:sqlite'), require('node:worker_threads'))`;

const INTERVAL_MS = 1000;
/**
 * 128 MiB, far below the size at which SQLite itself checkpoints. Writes wait for a pass
 * before the log restarts, 28 ms or more, so it must not restart often.
 */
const RESTART_PAGES = 32_768;
/** Pages that open snapshots keep from being checkpointed, if these are few. */
const FEW_PAGES = 64;
const MAX_PASSES = 10;
/** Longest time that new snapshots are held so that the open ones end and free the log. */
const HOLD_MS = 1000;
/**
 * Pause after a hold that did not help: another process, such as a backup, may keep a snapshot
 * open.
 */
const HOLD_AGAIN_MS = 10_000;
const HELD_PASS_MS = 10;

export interface CheckpointerOptions {
  readonly intervalMs?: number;
  /** The number of pages from which the log is restarted. */
  readonly restartPages?: number;
}

/** The pages of the log when the pass started, and how many of them are checkpointed. */
interface Pass {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Checkpoints the write-ahead log in a worker thread. SQLite's own checkpoint at a commit would
 * block the event loop while the disk writes thousands of scattered pages.
 *
 * SQLite restarts the log from its beginning when all of it is checkpointed at the start of a
 * write, and otherwise lets it grow. Under load each pass leaves the pages that were written during
 * it. When the log is large, writes wait for a last pass; reads continue.
 */
export class Checkpointer {
  readonly #file: string;
  readonly #intervalMs: number;
  readonly #restartPages: number;
  readonly #db: DatabaseSync;
  /** Whether to start the last pass after the next commit, which adds to the log. */
  #isLastPassDue = false;
  /** Until the last pass has ended. */
  #heldWrites: PromiseWithResolvers<void> | undefined;
  /** Started at the first checkpoint: most commands end before that. */
  #thread: Worker | undefined;
  #isRunning = false;
  #passes = 0;
  /** New snapshots wait until this time. 0: not holding. */
  #holdUntil = 0;
  #holdAgainAt = 0;
  #lastAt = performance.now();

  constructor(
    db: DatabaseSync,
    file: string,
    { intervalMs = INTERVAL_MS, restartPages = RESTART_PAGES }: CheckpointerOptions = {},
  ) {
    this.#db = db;
    this.#file = file;
    this.#intervalMs = intervalMs;
    this.#restartPages = restartPages;
  }

  /** Called after each commit, when no transaction is open. */
  committed(): void {
    if (this.#isLastPassDue) this.#startLastPass();
    if (this.#isRunning || performance.now() - this.#lastAt < this.#intervalMs) return;
    this.#isRunning = true;
    this.#passes = 0;
    this.#holdUntil = 0;
    this.#pass();
  }

  /**
   * Whether new snapshots must wait. A snapshot keeps later pages from being checkpointed, so with
   * one always open the log would never restart. A deadline ends the hold.
   */
  get isHoldingSnapshots(): boolean {
    return performance.now() < this.#holdUntil;
  }

  /** While defined, no write transaction may begin before it resolves. */
  get lastPass(): Promise<void> | undefined {
    return this.#heldWrites?.promise;
  }

  async close(): Promise<void> {
    this.#releaseWrites();
    await this.#thread?.terminate();
  }

  #pass(): void {
    this.#passes += 1;
    this.#thread ??= this.#start();
    this.#thread.postMessage('checkpoint');
  }

  #start(): Worker {
    const thread = new Worker(SCRIPT, { eval: true, workerData: this.#file });
    thread.unref();
    thread.on('message', (pass: Pass | undefined) => this.#next(pass));
    // Starts no further runs: without the thread SQLite checkpoints at a commit.
    thread.on('error', () => {
      this.#isRunning = true;
      this.#releaseWrites();
    });
    return thread;
  }

  /** A failed pass is retried after the interval: otherwise the log would fill the disk. */
  #next(pass: Pass | undefined): void {
    if (pass === undefined || this.#heldWrites !== undefined) this.#end();
    else if (pass.log - pass.checkpointed > FEW_PAGES) this.#continueAfterSnapshots();
    else if (pass.log < this.#restartPages) this.#end();
    else this.#restart();
  }

  /** Open snapshots have kept pages from being checkpointed. */
  #continueAfterSnapshots(): void {
    if (this.#passes < MAX_PASSES) this.#pass();
    else if (this.#holdSnapshots()) setTimeout(() => this.#pass(), HELD_PASS_MS).unref();
    else this.#end();
  }

  /** Another pass before writes are held leaves few pages to the last one. */
  #restart(): void {
    if (this.#passes < 2) this.#pass();
    else this.#startLastPass();
  }

  #end(): void {
    this.#releaseWrites();
    this.#holdUntil = 0;
    this.#isRunning = false;
    this.#lastAt = performance.now();
  }

  #releaseWrites(): void {
    this.#heldWrites?.resolve();
    this.#heldWrites = undefined;
    this.#thread?.unref();
  }

  /** Starts at most one hold in a run. Returns whether it lasts. */
  #holdSnapshots(): boolean {
    const now = performance.now();
    if (this.#holdUntil === 0 && now >= this.#holdAgainAt) {
      this.#holdUntil = now + HOLD_MS;
      this.#holdAgainAt = now + HOLD_AGAIN_MS;
    }
    return this.isHoldingSnapshots;
  }

  #startLastPass(): void {
    this.#isLastPassDue = this.#db.isTransaction;
    if (this.#isLastPassDue) return;
    // A snapshot of now would keep the log from being restarted by the next write.
    this.#holdUntil = performance.now() + HOLD_MS;
    this.#holdAgainAt = 0;
    this.#heldWrites = Promise.withResolvers();
    this.#pass();
    // The process must not end while writes wait.
    this.#thread?.ref();
  }
}
