import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Runner, UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import type { Checkpointer } from './checkpointer.ts';
import { Connection } from './connection.ts';
import { Execution } from './execution.ts';
import { asProblem, isBusy, isFaultOfStorage, lockedOut } from './failures.ts';
import { Lane, type Waiting } from './lane.ts';
import { ShortReads } from './short-reads.ts';
import { Slices, WITHOUT_PAUSE } from './slices.ts';
import { SnapshotReads } from './snapshot-reads.ts';

const BUSY_PAUSE_MS = 5;
const BUSY_GIVE_UP_MS = 5000;
/** A transaction takes no further units after this: their callers wait for its commit, and a flush pays for many by then. */
const TRANSACTION_MS = 30;

export interface SqliteRunnerOptions {
  readonly checkpointer?: Checkpointer | undefined;
  /**
   * Opens another connection to the same database, for reads. Without it (a database in memory has one connection)
   * every unit runs in one turn.
   */
  readonly connect?: (() => DatabaseSync) | undefined;
  readonly slices?: Slices;
}

/**
 * Group commit. Writes that arrive in one turn of the event loop share one flushed transaction, run when the turn ends;
 * their promises settle after the commit. A transaction that takes longer than a slice stays open and goes on in the next
 * turn; meanwhile reads use another connection, so none of them sees half of a transaction.
 */
export class SqliteRunner implements Runner {
  readonly #main: Connection;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #connect: (() => DatabaseSync) | undefined;
  readonly #slices: Slices;
  readonly #dataVersion: StatementSync;
  readonly #gatheredReads = new Lane();
  readonly #writes = new Lane();
  readonly #shortReads: ShortReads;
  readonly #longReads: SnapshotReads | undefined;
  readonly #listeners = new Set<(service: string) => void>();
  /** For short reads while a transaction is open on the main connection. */
  #beside: Connection | undefined;
  #lastVersion: unknown;
  #versionAsked = false;
  #hasWriteFault = false;
  #scheduled = false;
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    db: DatabaseSync,
    { checkpointer, connect, slices = new Slices() }: SqliteRunnerOptions = {},
  ) {
    this.#main = new Connection(db);
    this.#checkpointer = checkpointer;
    this.#connect = connect;
    this.#slices = slices;
    this.#dataVersion = db.prepare('pragma data_version');
    const isHeld = () => checkpointer?.isHoldingSnapshots ?? false;
    this.#longReads = connect && new SnapshotReads(() => new Connection(connect()), slices, isHeld);
    this.#shortReads = new ShortReads({
      slices,
      connection: () => (db.isTransaction ? this.#connectionBeside() : this.#main),
      long: this.#longReads,
    });
  }

  read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#shortReads.add({ work, resolve: resolve as Waiting['resolve'], reject });
    });
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
    if (this.#gatheredReads.isEmpty)
      setImmediate(() => {
        for (const waiting of this.#gatheredReads.take()) this.#shortReads.add(waiting);
      });
    return this.#gatheredReads.gather(work, input);
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

  /** On the main connection: while it has a write transaction open, nobody else can commit. */
  #askVersion(): unknown {
    try {
      return this.#dataVersion.get()?.['data_version'];
    } catch (cause) {
      throw asProblem(cause);
    }
  }

  async close(): Promise<void> {
    while (this.#scheduled) await this.#flushing;
    while (!this.#gatheredReads.isEmpty || !this.#shortReads.isEmpty) await turnOfTheLoop();
    await this.#longReads?.close();
    await this.#checkpointer?.close();
    this.#beside?.close();
    this.#main.close();
  }

  #connectionBeside(): Connection {
    if (this.#connect === undefined) throw new Error('a read came between two parts of a write');
    this.#beside ??= new Connection(this.#connect());
    return this.#beside;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#flushing = new Promise((done) => {
      setImmediate(() => this.#flush().finally(done));
    });
  }

  async #flush(): Promise<void> {
    let batch = this.#writes.take();
    try {
      while (batch.length > 0) {
        batch = await this.#commitSome(batch);
        this.#checkpointer?.committed();
        if (batch.length > 0) await turnOfTheLoop();
      }
    } catch (cause) {
      // Not even the rollback has worked. Nobody may wait for ever; those who were settled before are not concerned.
      for (const { reject } of batch) reject(asProblem(cause));
    } finally {
      this.#scheduled = false;
      if (!this.#writes.isEmpty) this.#schedule();
    }
  }

  /** Settles as many units of the batch as fit into one transaction, and returns the others. */
  async #commitSome(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const giveUpAt = performance.now() + BUSY_GIVE_UP_MS;
    for (;;) {
      const settled = await this.#settle(batch);
      if (settled > 0) return batch.slice(settled);
      if (performance.now() >= giveUpAt) break;
      await sleep(BUSY_PAUSE_MS);
    }
    for (const { reject } of batch) reject(lockedOut());
    return [];
  }

  /** How many units, from the first, are settled one way or the other; none where another process holds the lock. */
  async #settle(batch: readonly Waiting[]): Promise<number> {
    const changed = new Set<string>();
    const results: unknown[] = [];
    try {
      this.#main.begin('write');
      await this.#performSome(batch, results, changed);
      this.#main.commit();
      this.#hasWriteFault = false;
    } catch (cause) {
      this.#main.rollback();
      if (isBusy(cause)) return 0;
      this.#hasWriteFault ||= isFaultOfStorage(cause);
      const failed = batch.slice(0, results.length + 1);
      await this.#settleApart(failed, cause);
      return failed.length;
    }
    for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    for (const service of changed) for (const listener of this.#listeners) listener(service);
    return results.length;
  }

  async #performSome(
    batch: readonly Waiting[],
    results: unknown[],
    changed: Set<string>,
  ): Promise<void> {
    const startedAt = this.#slices.now();
    let isOver = this.#slice();
    for (const { work } of batch) {
      const execution = new Execution(this.#main.statements, work(), changed);
      while (!execution.advance(isOver)) {
        await turnOfTheLoop();
        isOver = this.#slice();
      }
      results.push(execution.result);
      if (isOver() && this.#slices.now() - startedAt >= TRANSACTION_MS) return;
    }
  }

  #slice(): () => boolean {
    return this.#connect === undefined ? WITHOUT_PAUSE : this.#slices.begin('write');
  }

  /** A call that fails must not take its neighbours with it: each gets a transaction of its own. */
  async #settleApart(batch: readonly Waiting[], cause: unknown): Promise<void> {
    const calls = batch.flatMap((waiting) => waiting.split?.() ?? [waiting]);
    for (const call of calls) {
      if (calls.length === 1) call.reject(asProblem(cause));
      else if ((await this.#settle([call])) === 0) call.reject(lockedOut());
    }
  }
}
