import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Admission } from '../admission.ts';
import type { Query } from '../units/query.ts';
import type { BatchUnit, Runner } from '../units/runner.ts';
import { row, type UnitOfWork } from '../units/unit-of-work.ts';
import type { Checkpointer } from './checkpointer.ts';
import { Connection } from './connection.ts';
import { type Effects, Execution, noEffects } from './execution.ts';
import { asProblem, isBusy, isStorageFault, lockTimeout } from './failures.ts';
import { type PendingUnit, PendingUnits } from './pending-units.ts';
import { ShortReads } from './short-reads.ts';
import { Slices, WITHOUT_PAUSE } from './slices.ts';
import { SnapshotReads } from './snapshot-reads.ts';

const BUSY_PAUSE_MS = 5;
const BUSY_TIMEOUT_MS = 5000;
/**
 * A transaction takes no further units after this time: their callers wait for its commit, and the
 * cost of the flush is already shared by many.
 */
const TRANSACTION_MS = 30;

/** Longest time that a transaction is put off while each turn brings further writes. */
const COLLECT_MS = 4;

export interface SqliteRunnerOptions {
  readonly checkpointer?: Checkpointer | undefined;
  /**
   * Opens another connection to the same database, for reads. Without it (a database in memory has
   * one connection) every unit runs in one turn.
   */
  readonly connect?: (() => DatabaseSync) | undefined;
  readonly slices?: Slices;
}

/**
 * Group commit: writes that arrive in one turn of the event loop share one flushed transaction,
 * which runs when the turn ends; their promises settle after the commit. A transaction that takes
 * longer than a slice stays open and continues in the next turn. Reads then use another connection,
 * so they never see uncommitted rows.
 */
export class SqliteRunner implements Runner {
  readonly #admission = new Admission();
  readonly #main: Connection;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #connect: (() => DatabaseSync) | undefined;
  readonly #slices: Slices;
  readonly #dataVersion: StatementSync;
  readonly #batchedReads = new PendingUnits();
  readonly #writes = new PendingUnits();
  readonly #shortReads: ShortReads;
  readonly #longReads: SnapshotReads | undefined;
  readonly #listeners = new Set<(service: string) => void>();
  readonly #deliveryListeners = new Set<() => void>();
  /** For short reads while the main connection has a transaction open. */
  #readConnection: Connection | undefined;
  #lastVersion: unknown;
  #isVersionFresh = false;
  #hasWriteFault = false;
  #isScheduled = false;
  /** The number of calls in the last transaction. */
  #lastCalls = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    db: DatabaseSync,
    { checkpointer, connect, slices = new Slices() }: SqliteRunnerOptions = {},
  ) {
    this.#main = new Connection(db, this.#admission);
    this.#checkpointer = checkpointer;
    this.#connect = connect;
    this.#slices = slices;
    this.#dataVersion = db.prepare('pragma data_version');
    const isHeld = () => checkpointer?.isHoldingSnapshots ?? false;
    const connectLong = (open: () => DatabaseSync) => () => new Connection(open(), this.#admission);
    this.#longReads = connect && new SnapshotReads(connectLong(connect), slices, isHeld);
    this.#shortReads = new ShortReads({
      slices,
      connection: () => (db.isTransaction ? this.#connectForReads() : this.#main),
      long: this.#longReads,
    });
  }

  read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#shortReads.add({ work, resolve: resolve as PendingUnit['resolve'], reject });
    });
  }

  readOne<Arguments extends object, Row>(
    query: Query<Arguments, Row>,
    values: Arguments,
  ): Promise<Row | undefined> {
    return this.read(() => row(query, values));
  }

  write<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    this.#schedule();
    return this.#writes.add(work);
  }

  batchWrite<Input, Result>(work: BatchUnit<Input, Result>, input: Input): Promise<Result> {
    this.#schedule();
    return this.#writes.addToBatch(work, input);
  }

  /** Batching reads saves the lock round trip, which costs more than the read. */
  batchRead<Input, Result>(work: BatchUnit<Input, Result>, input: Input): Promise<Result> {
    if (this.#batchedReads.isEmpty)
      setImmediate(() => {
        for (const unit of this.#batchedReads.drain()) this.#shortReads.add(unit);
      });
    return this.#batchedReads.addToBatch(work, input);
  }

  /**
   * Reads `data_version` once a turn, which is enough: a commit that precedes the requests of this
   * turn is visible to it.
   */
  changedElsewhere(): boolean {
    if (this.#isVersionFresh) return false;
    // If the query throws, the version stays stale, so a revoked token cannot be accepted.
    const version = this.#readVersion();
    this.#isVersionFresh = true;
    setImmediate(() => {
      this.#isVersionFresh = false;
    });
    const changed = version !== this.#lastVersion;
    this.#lastVersion = version;
    return changed;
  }

  hasWriteFault(): boolean {
    return this.#hasWriteFault;
  }

  onRefused(listener: (reason: string) => void): void {
    this.#admission.onRefused(listener);
  }

  onChange(listener: (service: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onDeliveries(listener: () => void): () => void {
    this.#deliveryListeners.add(listener);
    return () => this.#deliveryListeners.delete(listener);
  }

  /** Another process finds jobs when it looks for work. */
  onJobs(): () => void {
    return () => undefined;
  }

  /** On the main connection: no other process can commit while it has a write transaction open. */
  #readVersion(): unknown {
    try {
      return this.#dataVersion.get()?.['data_version'];
    } catch (cause) {
      throw asProblem(cause);
    }
  }

  async close(): Promise<void> {
    while (this.#isScheduled) await this.#flushing;
    while (!this.#batchedReads.isEmpty || !this.#shortReads.isEmpty) await nextTurn();
    await this.#longReads?.close();
    await this.#checkpointer?.close();
    this.#readConnection?.close();
    this.#main.close();
  }

  #connectForReads(): Connection {
    if (this.#connect === undefined) throw new Error('a read ran between two slices of a write');
    this.#readConnection ??= new Connection(this.#connect(), this.#admission);
    return this.#readConnection;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#flushing = new Promise((done) => {
      this.#collect(this.#slices.now() + COLLECT_MS, () => void this.#flush().finally(done));
    });
  }

  /**
   * Calls `flush` after the first turn without a further write. The callers of the last transaction
   * send their next request while this process reads those that arrived during it; without the
   * delay the two groups would flush alternately, each for half of the callers. A caller that
   * writes alone does not wait.
   */
  #collect(end: number, flush: () => void): void {
    const before = this.#writes.calls;
    setImmediate(() => {
      const { calls } = this.#writes;
      const isAlone = calls === 1 && this.#lastCalls <= 1;
      if (calls > before && !isAlone && this.#slices.now() < end) this.#collect(end, flush);
      else flush();
    });
  }

  async #flush(): Promise<void> {
    this.#lastCalls = this.#writes.calls;
    let units = this.#writes.drain();
    try {
      while (units.length > 0) {
        await this.#checkpointer?.lastPass;
        units = await this.#commitSome(units);
        this.#checkpointer?.committed();
        if (units.length > 0) await nextTurn();
      }
    } catch (cause) {
      // The rollback failed. Rejecting a unit that is already settled has no effect.
      for (const { reject } of units) reject(asProblem(cause));
    } finally {
      this.#isScheduled = false;
      if (!this.#writes.isEmpty) this.#schedule();
    }
  }

  /** Settles as many units as fit into one transaction and returns the others. */
  async #commitSome(units: readonly PendingUnit[]): Promise<readonly PendingUnit[]> {
    const deadline = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      const settled = await this.#settle(units);
      if (settled > 0) return units.slice(settled);
      if (performance.now() >= deadline) break;
      await sleep(BUSY_PAUSE_MS);
    }
    for (const { reject } of units) reject(lockTimeout());
    return [];
  }

  /**
   * Returns how many units, from the first, are resolved or rejected: 0 if another process holds
   * the write lock.
   */
  async #settle(units: readonly PendingUnit[]): Promise<number> {
    const effects = noEffects();
    const results: unknown[] = [];
    try {
      this.#main.begin('write');
      await this.#performSome(units, results, effects);
      this.#main.commit();
      this.#hasWriteFault = false;
    } catch (cause) {
      this.#main.rollback();
      if (isBusy(cause)) return 0;
      this.#hasWriteFault ||= isStorageFault(cause);
      const failed = units.slice(0, results.length + 1);
      await this.#settleIsolated(failed, cause);
      return failed.length;
    }
    for (const [index, result] of results.entries()) units[index]?.resolve(result);
    this.#callListeners(effects);
    return results.length;
  }

  #callListeners({ changed, hasDeliveries }: Effects): void {
    for (const service of changed) for (const listener of this.#listeners) listener(service);
    if (hasDeliveries) for (const listener of this.#deliveryListeners) listener();
  }

  async #performSome(
    units: readonly PendingUnit[],
    results: unknown[],
    effects: Effects,
  ): Promise<void> {
    const startedAt = this.#slices.now();
    let isOver = this.#beginSlice();
    for (const { work } of units) {
      const execution = new Execution(this.#main.statements, work(), effects);
      while (!execution.advance(isOver)) {
        await nextTurn();
        isOver = this.#beginSlice();
      }
      results.push(execution.result);
      if (isOver() && this.#slices.now() - startedAt >= TRANSACTION_MS) return;
    }
  }

  #beginSlice(): () => boolean {
    return this.#connect === undefined ? WITHOUT_PAUSE : this.#slices.begin('write');
  }

  /** Runs each call in its own transaction, so that a call that fails does not fail the others. */
  async #settleIsolated(units: readonly PendingUnit[], cause: unknown): Promise<void> {
    const calls = units.flatMap((unit) => unit.split?.() ?? [unit]);
    for (const call of calls) {
      if (calls.length === 1) call.reject(asProblem(cause));
      else if ((await this.#settle([call])) === 0) call.reject(lockTimeout());
    }
  }
}
