import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { checkpointThread } from './checkpoint-thread.ts';

const SCRIPT = `(${checkpointThread})(require('node:sqlite'), require('node:worker_threads'))`;

const INTERVAL_MS = 1000;
/** Few enough to checkpoint on the event loop. */
const FEW_PAGES = 64;
/** Each pass leaves the pages written during it, so the remainder shrinks. */
const MAX_PASSES = 10;
/** Longest time that new snapshots are held so that the open ones end and free the log. */
const HOLD_MS = 1000;
/**
 * Pause after a hold that did not help: another process, such as a backup, may keep a snapshot
 * open.
 */
const HOLD_AGAIN_MS = 10_000;
const HELD_PASS_MS = 10;

/**
 * Checkpoints the write-ahead log in a worker thread. SQLite's own checkpoint at a commit would
 * block the event loop while the disk writes thousands of scattered pages. Once the thread has left
 * few pages, this class checkpoints the remainder between two commits: SQLite restarts the log from
 * its beginning only when all of it is checkpointed, and otherwise lets it grow.
 */
export class Checkpointer {
  readonly #file: string;
  readonly #intervalMs: number;
  readonly #db: DatabaseSync;
  readonly #checkpoint: StatementSync;
  /**
   * Whether to checkpoint the remainder after the next commit: SQLite refuses to in a transaction.
   */
  #isRemainderDue = false;
  /** Started at the first checkpoint: most commands end before that. */
  #thread: Worker | undefined;
  #isRunning = false;
  #passes = 0;
  /** New snapshots wait until this time. 0: not holding. */
  #holdUntil = 0;
  #holdAgainAt = 0;
  #lastAt = performance.now();

  constructor(db: DatabaseSync, file: string, intervalMs = INTERVAL_MS) {
    this.#db = db;
    this.#file = file;
    this.#intervalMs = intervalMs;
    this.#checkpoint = db.prepare('pragma wal_checkpoint(passive)');
  }

  /** Called after each commit, when no transaction is open. */
  committed(): void {
    if (this.#isRemainderDue) this.#checkpointRemainder();
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

  async close(): Promise<void> {
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
    thread.on('message', (remaining: number | undefined) => this.#next(remaining));
    // Starts no further runs: without the thread SQLite checkpoints at a commit.
    thread.on('error', () => {
      this.#isRunning = true;
    });
    return thread;
  }

  /** A failed pass is retried after the interval: otherwise the log would fill the disk. */
  #next(remaining: number | undefined): void {
    const isLarge = remaining !== undefined && remaining > FEW_PAGES;
    if (isLarge && this.#passes < MAX_PASSES) {
      this.#pass();
      return;
    }
    if (isLarge && this.#holdSnapshots()) {
      setTimeout(() => this.#pass(), HELD_PASS_MS).unref();
      return;
    }
    if (remaining !== undefined && !isLarge) this.#checkpointRemainder();
    this.#isRunning = false;
    this.#lastAt = performance.now();
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

  #checkpointRemainder(): void {
    this.#isRemainderDue = this.#db.isTransaction;
    if (this.#isRemainderDue) return;
    this.#holdUntil = 0;
    this.#holdAgainAt = 0;
    try {
      this.#checkpoint.get();
    } catch {
      // A failing disk is reported by the next commit, to its caller.
    }
  }
}
