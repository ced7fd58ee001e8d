import type pg from 'pg';
import { HOUR_MS } from '../../domain/duration.ts';
import { Admission } from '../admission.ts';
import type { Query } from '../units/query.ts';
import type { BatchUnit, Runner } from '../units/runner.ts';
import { queryStep, type UnitOfWork } from '../units/unit-of-work.ts';
import { findOldest, OPEN_READ, oldestIn, runAdmitted } from './admission.ts';
import { CallBatcher, type CallBatcherOptions } from './call-batcher.ts';
import { ChangeChannel } from './change-channel.ts';
import type { DatabaseClock } from './clock.ts';
import { commit, UnconfirmedCommit } from './commit.ts';
import { type CommitMarker, CommitMarkers, isCommitted } from './commit-markers.ts';
import { ConnectionWatchdog } from './connection-watchdog.ts';
import { type Effects, noEffects, type RunJobStep, UnitExecutor } from './execution.ts';
import { isLostConnection } from './failures.ts';
import { Latency } from './latency.ts';
import type { Pools } from './pools.ts';
import { withRetries } from './retries.ts';
import type { BoundStatement } from './statement-pipeline.ts';
import { Transaction } from './transaction.ts';
import { type Compensation, UncertainCommits } from './uncertain-commits.ts';

/** How long a call waits for the outcome of its commit: enough for a server to restart. */
const CONFIRMATION_MS = 6000;
/** Batches of each kind that run at the same time. */
const WRITE_BATCHES = 1;
const READ_BATCHES = 2;

/** A row that one call of a batch needs must not block the whole batch for long. */
const BATCH_LOCK_MS = 1000;
const WRITE_LOCK_MS = 1200;

const BEGIN_WRITE = { name: 'begin_write', text: 'begin', values: [] };
const DELETE_MARKERS_EVERY_MS = HOUR_MS;

export interface RunnerOptions {
  readonly pools: Pools;
  readonly connection: pg.ClientConfig;
  readonly runJobStep: RunJobStep;
  /** How long a call waits for the outcome of its commit after the answer was lost. */
  readonly confirmationMs?: number;
  /** Receives a sample of the database time at each poll. */
  readonly clock?: Pick<DatabaseClock, 'add'>;
}

interface Committed<Result> {
  readonly result: Result;
  readonly effects: Effects;
}

/** What a transaction is committed with. */
interface Ending {
  readonly deferred: readonly BoundStatement[];
  readonly marker: CommitMarker;
  readonly compensations: readonly Compensation[];
}

/**
 * Runs units of work on PostgreSQL. Each step is a network round trip, so frequent calls are
 * batched: the calls of one kind that arrive while others run share one transaction with one
 * statement per step. A unit that changes a feed locks the row of the feed first, so `read
 * committed` suffices. Transactions that conflict with others are retried.
 */
export class PostgresRunner implements Runner {
  readonly #pools: Pools;
  readonly #executor: UnitExecutor;
  readonly #batchers = new Map<unknown, CallBatcher>();
  readonly #batchedWrites: CallBatcherOptions = {
    // The calls for a locked row run isolated, so that the other calls need not wait.
    perform: (work) => this.#writeOn(this.#pools.batched, work, { failsFast: true }),
    performIsolated: (work) => this.write(work),
    concurrency: WRITE_BATCHES,
  };
  readonly #batchedReads: CallBatcherOptions = {
    perform: (work) => this.#readOn(this.#pools.batched, work),
    performIsolated: (work) => this.#readOn(this.#pools.batched, work),
    concurrency: READ_BATCHES,
  };
  readonly #listeners = new Set<(service: string) => void>();
  readonly #deliveryListeners = new Set<() => void>();
  readonly #jobListeners = new Set<() => void>();
  readonly #changes: ChangeChannel;
  readonly #markers = new CommitMarkers();
  readonly #deleteMarkers: NodeJS.Timeout;
  readonly #watchdog: ConnectionWatchdog;
  readonly #uncertain: UncertainCommits;
  readonly #admission = new Admission();
  readonly #confirmationMs: number;
  readonly #latency = new Latency();

  constructor({ pools, connection, runJobStep, confirmationMs, clock }: RunnerOptions) {
    this.#pools = pools;
    this.#confirmationMs = confirmationMs ?? CONFIRMATION_MS;
    const { batched, reads, writes, jobs } = pools;
    this.#watchdog = new ConnectionWatchdog(
      connection,
      [batched, reads, writes, jobs],
      this.#latency,
    );
    this.#changes = new ChangeChannel(connection, {
      feeds: (slugs) => this.#callListeners(slugs),
      isFollowed: () => this.#listeners.size > 0,
      deliveries: () => this.#callDeliveryListeners(),
      jobs: () => {
        for (const listener of this.#jobListeners) listener();
      },
      time: (sample) => {
        clock?.add(sample);
        this.#latency.add(sample);
      },
      admission: (oldest) => this.#admission.notice(oldest),
    });
    this.#changes.start();
    this.#executor = new UnitExecutor(this.#changes, runJobStep);
    this.#uncertain = new UncertainCommits({
      pool: writes,
      reads,
      requireAdmission: async (client) => this.#admission.check(await findOldest(client)),
      perform: async (client, work) => {
        const transaction = new Transaction(client);
        await this.#executor.perform(transaction, work, noEffects());
        await transaction.flush();
      },
    });
    const deleteOld = () => void this.#markers.deleteOld(pools.jobs).catch(() => undefined);
    this.#deleteMarkers = setInterval(deleteOld, DELETE_MARKERS_EVERY_MS);
    this.#deleteMarkers.unref();
  }

  async read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#readOn(this.#pools.reads, work);
  }

  async readOne<Arguments extends object, Row>(
    query: Query<Arguments, Row>,
    values: Arguments,
  ): Promise<Row | undefined> {
    const step = queryStep(query, values);
    return await withRetries(
      this.#pools.reads,
      // The rows of this query.
      async (client) => (await this.#executor.runAlone(client, step))[0] as Row | undefined,
    );
  }

  async #readOn<Result>(pool: pg.Pool, work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#admitted(pool, async (client) => {
      const transaction = new Transaction(client, OPEN_READ);
      const result = await this.#executor.perform(transaction, work(), noEffects());
      this.#admission.check(oldestIn(transaction.opened));
      // Not awaited: a read has nothing to lose, and the connection runs its queries in order.
      client.query('commit').catch(() => undefined);
      return result;
    });
  }

  async write<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#writeOn(this.#pools.writes, work);
  }

  batchWrite<Input, Result>(
    work: BatchUnit<Input, Result>,
    input: Input,
    key: string,
  ): Promise<Result> {
    return this.#batcherOf(work, this.#batchedWrites).add(input, key) as Promise<Result>;
  }

  batchRead<Input, Result>(work: BatchUnit<Input, Result>, input: Input): Promise<Result> {
    return this.#batcherOf(work, this.#batchedReads).add(input, '') as Promise<Result>;
  }

  changedElsewhere(): boolean {
    return this.#changes.hasAccessChanged();
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

  onJobs(listener: () => void): () => void {
    this.#jobListeners.add(listener);
    return () => this.#jobListeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#deleteMarkers);
    await this.#changes.stop();
    await this.#uncertain.stop();
    this.#watchdog.stop();
    await this.#pools.end();
  }

  #batcherOf<Input, Result>(
    work: BatchUnit<Input, Result>,
    options: CallBatcherOptions,
  ): CallBatcher {
    let batcher = this.#batchers.get(work);
    if (batcher === undefined) {
      // It receives the inputs of this function only.
      batcher = new CallBatcher(work as BatchUnit<unknown, unknown>, options);
      this.#batchers.set(work, batcher);
    }
    return batcher;
  }

  #callListeners(feeds: Iterable<string>): void {
    for (const service of feeds) for (const listener of this.#listeners) listener(service);
  }

  #callDeliveryListeners(): void {
    for (const listener of this.#deliveryListeners) listener();
  }

  async #writeOn<Result>(
    pool: pg.Pool,
    work: () => UnitOfWork<Result>,
    options?: { readonly failsFast: boolean },
  ): Promise<Result> {
    const lockMs = options?.failsFast === true ? BATCH_LOCK_MS : WRITE_LOCK_MS;
    const transact = (client: pg.PoolClient, attempt: number) =>
      this.#transact(client, work, { attempt, lockMs });
    const { result, effects } = await this.#admitted(pool, transact, options);
    const { changed, hasDeliveries, hasJobs } = effects;
    this.#callListeners(changed);
    if (hasDeliveries) this.#callDeliveryListeners();
    this.#changes.notify([...changed], { hasDeliveries, hasJobs });
    return result;
  }

  /** Runs a transaction, unless the store does not admit this node any more. */
  async #admitted<Result>(
    pool: pg.Pool,
    work: (client: pg.PoolClient, attempt: number) => Promise<Result>,
    options?: { readonly failsFast: boolean },
  ): Promise<Result> {
    const run = () => withRetries(pool, work, options);
    return await runAdmitted(this.#admission, this.#pools.reads, run);
  }

  async #transact<Result>(
    client: pg.PoolClient,
    work: () => UnitOfWork<Result>,
    limits: { readonly attempt: number; readonly lockMs: number },
  ): Promise<Committed<Result>> {
    const effects = noEffects();
    const { allowanceMs } = this.#latency;
    const marker = this.#markers.write(client, { ...limits, allowanceMs });
    const transaction = new Transaction(client, [BEGIN_WRITE, marker.statement]);
    const result = await this.#executor.perform(transaction, work(), effects);
    await this.#commit(client, {
      deferred: transaction.takeDeferred(),
      marker: marker.read(transaction.opened[1]),
      compensations: effects.compensations,
    });
    return { result, effects };
  }

  /**
   * If the outcome of the commit stays unknown, the caller is refused, and the compensations run if
   * the transaction turns out to be committed.
   */
  async #commit(client: pg.PoolClient, ending: Ending): Promise<void> {
    const doubt = await this.#tryCommit(client, ending);
    if (doubt === undefined) return;
    this.#uncertain.add(ending.marker, ending.compensations);
    throw new UnconfirmedCommit(new Error(doubt));
  }

  /** Returns why the commit cannot be confirmed, if so. Throws if it failed. */
  async #tryCommit(
    client: pg.ClientBase,
    { deferred, marker }: Ending,
  ): Promise<string | undefined> {
    try {
      return await commit(client, deferred);
    } catch (cause) {
      if (!isLostConnection(cause)) throw cause;
      // On the pool for reads: calls that wait for this outcome may hold all other connections.
      const isDone = await isCommitted(this.#pools.reads, marker, this.#confirmationMs);
      if (isDone === false) throw cause;
      return isDone ? undefined : 'the connection was lost during the commit';
    }
  }
}
