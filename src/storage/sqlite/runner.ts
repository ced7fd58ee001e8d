import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../domain/problem.ts';
import type { Runner, UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import { Statements } from './statements.ts';

/** One unit in the batch, with those who wait for it. */
interface Waiting {
  readonly work: () => UnitOfWork<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
  /** The calls that were gathered into it, each as a unit of its own. */
  readonly split?: () => readonly Waiting[];
}

interface Gathered {
  readonly inputs: unknown[];
  readonly waiting: { resolve: (result: never) => void; reject: (cause: unknown) => void }[];
}

/** SQLite's result codes, without their extensions: https://www.sqlite.org/rescode.html */
const SQLITE_BUSY = 5;
const SQLITE_CONSTRAINT = 19;
const SQLITE_ERROR = 1;
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
  readonly #statements: Statements;
  readonly #dataVersion: StatementSync;
  #lastVersion: unknown;
  #versionAsked = false;
  #batch: Waiting[] = [];
  #gathered = new Map<UnitOfMany<never, unknown>, Gathered>();
  #scheduled = false;
  #flushing: Promise<void> = Promise.resolve();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#statements = new Statements(db);
    this.#dataVersion = db.prepare('pragma data_version');
  }

  async read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    try {
      return this.#statements.perform(work());
    } catch (cause) {
      throw asProblem(cause);
    }
  }

  write<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#batch.push({ work, resolve: resolve as (result: unknown) => void, reject });
    this.#schedule();
    return promise;
  }

  gather<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let gathered = this.#gathered.get(work);
    if (gathered === undefined) {
      gathered = { inputs: [], waiting: [] };
      this.#gathered.set(work, gathered);
      this.#batch.push(together(work as UnitOfMany<unknown, unknown>, gathered));
      this.#schedule();
    }
    gathered.inputs.push(input);
    gathered.waiting.push({ resolve, reject });
    return promise;
  }

  /** Asked of SQLite once a turn: whoever committed before this turn's requests were sent is seen by it. */
  changedElsewhere(): boolean {
    if (this.#versionAsked) return false;
    this.#versionAsked = true;
    setImmediate(() => {
      this.#versionAsked = false;
    });
    const version = this.#dataVersion.get()?.['data_version'];
    const changed = version !== this.#lastVersion;
    this.#lastVersion = version;
    return changed;
  }

  async close(): Promise<void> {
    while (this.#scheduled) await this.#flushing;
    this.#db.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#flushing = new Promise((done) => {
      setImmediate(() => this.#flush().finally(done));
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#gathered = new Map();
    try {
      // The common case: nobody is in the way, and the whole flush happens in this turn.
      if (!this.#tryCommit(batch)) await this.#commitWhenFree(batch);
    } finally {
      this.#scheduled = false;
      if (this.#batch.length > 0) this.#schedule();
    }
  }

  async #commitWhenFree(batch: readonly Waiting[]): Promise<void> {
    const giveUpAt = performance.now() + BUSY_GIVE_UP_MS;
    do {
      await sleep(BUSY_PAUSE_MS);
      if (this.#tryCommit(batch)) return;
    } while (performance.now() < giveUpAt);
    for (const { reject } of batch)
      reject(new Problem('unavailable', { cause: new Error('the store stayed locked') }));
  }

  /** Whether the batch is settled, one way or the other; not so when another process holds the lock. */
  #tryCommit(batch: readonly Waiting[]): boolean {
    let results: unknown[];
    try {
      results = this.#transact(() => batch.map(({ work }) => this.#statements.perform(work())));
    } catch (cause) {
      if (isBusy(cause)) return false;
      const parts = batch.flatMap((waiting) => waiting.split?.() ?? [waiting]);
      if (parts.length > 1) return this.#commitOneByOne(parts);
      parts[0]?.reject(asProblem(cause));
      return true;
    }
    for (const [place, { resolve }] of batch.entries()) resolve(results[place]);
    return true;
  }

  /** A unit that fails must not take its neighbours with it: each gets a transaction of its own. */
  #commitOneByOne(batch: readonly Waiting[]): true {
    for (const waiting of batch) {
      if (!this.#tryCommit([waiting])) waiting.reject(new Problem('unavailable'));
    }
    return true;
  }

  #transact<Result>(work: () => Result): Result {
    this.#db.exec('begin immediate');
    try {
      const result = work();
      this.#db.exec('commit');
      return result;
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw cause;
    }
  }
}

function together(work: UnitOfMany<unknown, unknown>, { inputs, waiting }: Gathered): Waiting {
  return {
    work: () => work(inputs),
    resolve: (results) => {
      for (const [place, { resolve }] of waiting.entries())
        resolve((results as never[])[place] as never);
    },
    reject: (cause) => {
      for (const { reject } of waiting) reject(cause);
    },
    split: () =>
      waiting.map(({ resolve, reject }, place) => ({
        work: () => work([inputs[place]]),
        resolve: (results) => resolve((results as never[])[0] as never),
        reject,
      })),
  };
}

function resultCode(cause: unknown): number | undefined {
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined;
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined;
}

function isBusy(cause: unknown): boolean {
  return resultCode(cause) === SQLITE_BUSY;
}

/** A full disk, a file that went away or turned read-only: the caller may try again, and is told so. */
function asProblem(cause: unknown): unknown {
  const code = resultCode(cause);
  if (code === undefined || [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISUSE].includes(code))
    return cause;
  return new Problem('unavailable', { cause, retryAfterSeconds: 1 });
}
