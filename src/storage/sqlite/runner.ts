import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../domain/problem.ts';
import type { Runner, UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import type { Checkpointer } from './checkpointer.ts';
import { Lane, type Waiting } from './lane.ts';
import { Statements } from './statements.ts';

/** SQLite's result codes, without their extensions: https://www.sqlite.org/rescode.html */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISUSE = 21;
const BUSY_PAUSE_MS = 5;
const BUSY_GIVE_UP_MS = 5000;

/**
 * Group commit. Writes that arrive in one turn of the event loop share one flushed transaction, run in
 * one go when the turn ends; their promises settle after the commit. Nothing is awaited while a
 * transaction is open, so a read on the same connection never sees half of one.
 */
export class SqliteRunner implements Runner {
  readonly #db: DatabaseSync;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #statements: Statements;
  readonly #dataVersion: StatementSync;
  readonly #beginRead: StatementSync;
  readonly #beginWrite: StatementSync;
  readonly #commit: StatementSync;
  readonly #reads = new Lane();
  readonly #writes = new Lane();
  readonly #listeners = new Set<(service: string) => void>();
  #lastVersion: unknown;
  #versionAsked = false;
  #hasWriteFault = false;
  #scheduled = false;
  #flushing: Promise<void> = Promise.resolve();

  constructor(db: DatabaseSync, checkpointer?: Checkpointer) {
    this.#db = db;
    this.#checkpointer = checkpointer;
    this.#statements = new Statements(db);
    this.#dataVersion = db.prepare('pragma data_version');
    this.#beginRead = db.prepare('begin');
    this.#beginWrite = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    // They tell the number of the last row that was inserted, by whomever: those of the text index are no safe integers.
    for (const statement of [this.#beginRead, this.#beginWrite, this.#commit])
      statement.setReadBigInts(true);
  }

  async read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    try {
      return this.#statements.perform(work());
    } catch (cause) {
      throw asProblem(cause);
    }
  }

  write<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    this.#schedule();
    return this.#writes.add(work);
  }

  gather<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    this.#schedule();
    return this.#writes.gather(work, input);
  }

  /** A read on its own takes and drops a lock, which costs more than finding the row. */
  gatherRead<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    if (this.#reads.isEmpty) setImmediate(() => this.#readAll());
    return this.#reads.gather(work, input);
  }

  /** Asked of SQLite once a turn: whoever committed before this turn's requests were sent is seen by it. */
  changedElsewhere(): boolean {
    if (this.#versionAsked) return false;
    // Where this fails it counts as not asked: nobody may be let in on what was known before.
    const version = this.#askVersion();
    this.#versionAsked = true;
    setImmediate(() => {
      this.#versionAsked = false;
    });
    const changed = version !== this.#lastVersion;
    this.#lastVersion = version;
    return changed;
  }

  hasWriteFault(): boolean {
    return this.#hasWriteFault;
  }

  onChange(listener: (service: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #askVersion(): unknown {
    try {
      return this.#dataVersion.get()?.['data_version'];
    } catch (cause) {
      throw asProblem(cause);
    }
  }

  async close(): Promise<void> {
    while (this.#scheduled) await this.#flushing;
    await this.#checkpointer?.close();
    this.#db.close();
  }

  #readAll(): void {
    const batch = this.#reads.take();
    if (this.#settle(batch, this.#beginRead)) return;
    for (const { reject } of batch) reject(lockedOut());
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#flushing = new Promise((done) => {
      setImmediate(() => this.#flush().finally(done));
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#writes.take();
    try {
      // The common case: nobody is in the way, and the whole flush happens in this turn.
      if (!this.#settle(batch, this.#beginWrite)) await this.#settleWhenFree(batch);
      this.#checkpointer?.committed();
    } finally {
      this.#scheduled = false;
      if (!this.#writes.isEmpty) this.#schedule();
    }
  }

  async #settleWhenFree(batch: readonly Waiting[]): Promise<void> {
    const giveUpAt = performance.now() + BUSY_GIVE_UP_MS;
    do {
      await sleep(BUSY_PAUSE_MS);
      if (this.#settle(batch, this.#beginWrite)) return;
    } while (performance.now() < giveUpAt);
    for (const { reject } of batch) reject(lockedOut());
  }

  /** Whether the batch is settled, one way or the other; not so when another process holds the lock. */
  #settle(batch: readonly Waiting[], begin: StatementSync): boolean {
    let results: unknown[];
    const changed = new Set<string>();
    try {
      results = this.#transact(begin, () =>
        batch.map(({ work }) => this.#statements.perform(work(), changed)),
      );
      if (begin === this.#beginWrite) this.#hasWriteFault = false;
    } catch (cause) {
      if (resultCode(cause) === SQLITE_BUSY) return false;
      this.#hasWriteFault ||= begin === this.#beginWrite && isFaultOfStorage(cause);
      this.#settleApart(batch, begin, cause);
      return true;
    }
    for (const [place, { resolve }] of batch.entries()) resolve(results[place]);
    for (const service of changed) for (const listener of this.#listeners) listener(service);
    return true;
  }

  /** A call that fails must not take its neighbours with it: each gets a transaction of its own. */
  #settleApart(batch: readonly Waiting[], begin: StatementSync, cause: unknown): void {
    const calls = batch.flatMap((waiting) => waiting.split?.() ?? [waiting]);
    for (const call of calls) {
      if (calls.length === 1) call.reject(asProblem(cause));
      else if (!this.#settle([call], begin)) call.reject(lockedOut());
    }
  }

  #transact<Result>(begin: StatementSync, work: () => Result): Result {
    try {
      begin.run();
      const result = work();
      this.#commit.run();
      return result;
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw cause;
    }
  }
}

function lockedOut(): Problem {
  const cause = new Error('another process kept the store locked');
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

function resultCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined;
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined;
}

/** A full disk, a file that went away or turned read-only: the caller may try again, and is told so. */
function asProblem(cause: unknown): unknown {
  if (!isFaultOfStorage(cause)) return cause;
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}

/** All other failures are defects of ours. */
function isFaultOfStorage(cause: unknown): boolean {
  const code = resultCode(cause);
  return code !== undefined && ![SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISUSE].includes(code);
}
