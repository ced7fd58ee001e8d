import { extname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

const EVERY_MS = 1000;
/** So few pages are moved in the blink of an eye. */
const FEW_PAGES = 64;
/** Each pass leaves what was written during it, which gets less and less. */
const MAX_PASSES = 10;
/** How long new snapshots are held back at most where those under way keep the log from being moved whole. */
const HOLD_MS = 1000;
/** Not sooner again where that was in vain: another process may keep a snapshot open for as long as a backup takes. */
const HOLD_AGAIN_MS = 10_000;
const HELD_PASS_MS = 10;

/**
 * Moves the write-ahead log into the database beside the event loop. Done by SQLite itself at a commit, it holds
 * up everybody for as long as the disk needs for thousands of scattered pages. When the thread has left only a
 * few pages, the rest is moved here, between two commits: only an empty log is begun anew, and would grow
 * without end otherwise.
 */
export class Checkpointer {
  readonly #file: string;
  readonly #everyMs: number;
  readonly #db: DatabaseSync;
  readonly #rest: StatementSync;
  /** Whether the rest is to be moved after the next commit: within a transaction SQLite refuses to. */
  #isRestDue = false;
  /** Made when it is first needed: most commands are over before that. */
  #thread: Worker | undefined;
  #isRunning = false;
  #passes = 0;
  /** Until then no new snapshot may begin; 0: nothing is held back. */
  #holdUntil = 0;
  #holdAgainAt = 0;
  #lastAt = performance.now();

  constructor(db: DatabaseSync, file: string, everyMs = EVERY_MS) {
    this.#db = db;
    this.#file = file;
    this.#everyMs = everyMs;
    this.#rest = db.prepare('pragma wal_checkpoint(passive)');
  }

  /** To be called after a commit, when no transaction is open. */
  committed(): void {
    if (this.#isRestDue) this.#moveRest();
    if (this.#isRunning || performance.now() - this.#lastAt < this.#everyMs) return;
    this.#isRunning = true;
    this.#passes = 0;
    this.#holdUntil = 0;
    this.#pass();
  }

  /**
   * Whether new snapshots have to wait. Each keeps what is written after it from being moved, so while one is always
   * open the log is never begun anew. It ends at a deadline: reads do not wait for ever.
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
    const url = new URL(`checkpoint-thread${extname(import.meta.filename)}`, import.meta.url);
    const thread = new Worker(url, { workerData: this.#file });
    thread.unref();
    thread.on('message', (left: number | undefined) => this.#next(left));
    // Without the thread SQLite does it all at a commit, as a last resort.
    thread.on('error', () => {
      this.#isRunning = true;
    });
    return thread;
  }

  /** Where it failed it is tried again after a while: else the log would fill whatever room there is later. */
  #next(left: number | undefined): void {
    const isMuchLeft = left !== undefined && left > FEW_PAGES;
    if (isMuchLeft && this.#passes < MAX_PASSES) {
      this.#pass();
      return;
    }
    if (isMuchLeft && this.#holdSnapshots()) {
      setTimeout(() => this.#pass(), HELD_PASS_MS).unref();
      return;
    }
    if (left !== undefined && !isMuchLeft) this.#moveRest();
    this.#isRunning = false;
    this.#lastAt = performance.now();
  }

  /** Once in a run. Returns whether they are still held back. */
  #holdSnapshots(): boolean {
    const now = performance.now();
    if (this.#holdUntil === 0 && now >= this.#holdAgainAt) {
      this.#holdUntil = now + HOLD_MS;
      this.#holdAgainAt = now + HOLD_AGAIN_MS;
    }
    return this.isHoldingSnapshots;
  }

  #moveRest(): void {
    this.#isRestDue = this.#db.isTransaction;
    if (this.#isRestDue) return;
    this.#holdUntil = 0;
    this.#holdAgainAt = 0;
    try {
      this.#rest.get();
    } catch {
      // A disk that fails shows at the next commit, to whoever can be told of it; here nobody waits.
    }
  }
}
