import type pg from 'pg';
import type { JobStep, Runner, Step, UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import { asProblem, isLostConnection, isWorthAnotherTry, pauseBefore } from './failures.ts';
import { Gatherer } from './gatherer.ts';
import { takeLock } from './locks.ts';
import { isCommitted } from './outcome.ts';
import type { Pools } from './pools.ts';
import { Statements } from './statements.ts';
import { Watch } from './watch.ts';

const MOST_TRIES = 12;
/** So long a call may be tried again after its connection was lost, from its beginning. */
const PATIENCE_MS = 2000;
/** While so many batches are under way, calls of the same kind gather for the next. */
const WRITES_AT_ONCE = 2;
const READS_AT_ONCE = 2;

const BEGIN_READ = 'begin isolation level repeatable read read only';
/** The number of the transaction, by which it is known what became of it where the answer to its commit is lost. */
const BEGIN_WRITE = 'begin; select pg_current_xact_id()::text as xid';

/** Puts jobs into the queue, or takes them out, on the connection of a running transaction. */
export type RunJobStep = (client: pg.ClientBase, step: JobStep) => Promise<void>;

export interface RunnerOptions {
  readonly pools: Pools;
  readonly connection: pg.ClientConfig;
  readonly runJobStep: RunJobStep;
}

/** What a transaction has changed, for whoever listens. */
interface Changed {
  readonly feeds: Set<string>;
  access: boolean;
}

interface Done<Result> {
  readonly result: Result;
  readonly changed: Changed;
}

/**
 * Units of work across a wire. A call that may come a thousand times a second (`gather`) waits while others of its kind
 * are under way, and goes on with all that have come meanwhile: one transaction, one statement for each of its steps, one
 * flush. Whatever changes a feed first locks the row of the feed, so `read committed` is enough; a transaction that was
 * undone for the sake of another is begun again here.
 */
export class PostgresRunner implements Runner {
  readonly #pools: Pools;
  readonly #runJobStep: RunJobStep;
  readonly #statements = new Statements();
  readonly #gatherers = new Map<unknown, Gatherer>();
  readonly #listeners = new Set<(service: string) => void>();
  readonly #watch: Watch;

  constructor({ pools, connection, runJobStep }: RunnerOptions) {
    this.#pools = pools;
    this.#runJobStep = runJobStep;
    this.#watch = new Watch(connection, { feeds: (slugs) => this.#announce(slugs) });
    this.#watch.start();
  }

  async read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#readOn(this.#pools.reads, work);
  }

  async write<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#writeOn(this.#pools.writes, work);
  }

  gather<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    const perform = (unit: () => UnitOfWork<readonly unknown[]>) =>
      this.#writeOn(this.#pools.gathered, unit);
    return this.#gathererOf(work, { perform, atOnce: WRITES_AT_ONCE }).add(
      input,
    ) as Promise<Result>;
  }

  gatherRead<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    const perform = (unit: () => UnitOfWork<readonly unknown[]>) =>
      this.#readOn(this.#pools.reads, unit);
    return this.#gathererOf(work, { perform, atOnce: READS_AT_ONCE }).add(input) as Promise<Result>;
  }

  changedElsewhere(): boolean {
    return this.#watch.accessChanged();
  }

  onChange(listener: (service: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#watch.stop();
    await this.#pools.end();
  }

  #gathererOf<Input, Result>(
    work: UnitOfMany<Input, Result>,
    options: ConstructorParameters<typeof Gatherer>[1],
  ): Gatherer {
    let gatherer = this.#gatherers.get(work);
    if (gatherer === undefined) {
      // It is given the inputs of this very kind of work.
      gatherer = new Gatherer(work as UnitOfMany<unknown, unknown>, options);
      this.#gatherers.set(work, gatherer);
    }
    return gatherer;
  }

  #announce(feeds: Iterable<string>): void {
    for (const service of feeds) for (const listener of this.#listeners) listener(service);
  }

  /** All of it sees the store as it was at one moment. */
  async #readOn<Result>(pool: pg.Pool, work: () => UnitOfWork<Result>): Promise<Result> {
    const startedAt = performance.now();
    for (;;) {
      try {
        return await onConnection(pool, async (client) => {
          // Not waited for: it goes out together with the first query.
          const begun = client.query(BEGIN_READ);
          begun.catch(() => undefined);
          const result = await this.#perform(client, work(), { feeds: new Set(), access: false });
          await Promise.all([begun, client.query('commit')]);
          return result;
        });
      } catch (cause) {
        if (!isLostConnection(cause) || performance.now() - startedAt > PATIENCE_MS)
          throw asProblem(cause);
        await pauseBefore(MOST_TRIES);
      }
    }
  }

  async #writeOn<Result>(pool: pg.Pool, work: () => UnitOfWork<Result>): Promise<Result> {
    const { result, changed } = await this.#transactUntilDone(pool, work);
    this.#announce(changed.feeds);
    if (changed.access || changed.feeds.size > 0)
      this.#watch.tell([...changed.feeds], changed.access);
    return result;
  }

  async #transactUntilDone<Result>(
    pool: pg.Pool,
    work: () => UnitOfWork<Result>,
  ): Promise<Done<Result>> {
    const startedAt = performance.now();
    for (let tries = 1; ; tries += 1) {
      try {
        return await onConnection(pool, (client) => this.#transact(client, work));
      } catch (cause) {
        const isPatient = isLostConnection(cause) && performance.now() - startedAt < PATIENCE_MS;
        if (!isPatient && (!isWorthAnotherTry(cause) || tries >= MOST_TRIES))
          throw asProblem(cause);
        await pauseBefore(tries);
      }
    }
  }

  async #transact<Result>(
    client: pg.ClientBase,
    work: () => UnitOfWork<Result>,
  ): Promise<Done<Result>> {
    const changed: Changed = { feeds: new Set(), access: false };
    const begun = client.query(BEGIN_WRITE) as unknown as Promise<readonly pg.QueryResult[]>;
    begun.catch(() => undefined);
    const result = await this.#perform(client, work(), changed);
    const [, started] = await begun;
    await this.#commit(client, String(started?.rows[0]?.xid));
    return { result, changed };
  }

  /** Where the connection is lost just now, nobody has said yet whether it was done: that is asked of the store. */
  async #commit(client: pg.ClientBase, xid: string): Promise<void> {
    try {
      await client.query('commit');
    } catch (cause) {
      if (!isLostConnection(cause)) throw cause;
      if (!(await isCommitted(this.#pools.writes, xid))) throw cause;
    }
  }

  async #perform<Result>(
    client: pg.ClientBase,
    work: UnitOfWork<Result>,
    changed: Changed,
  ): Promise<Result> {
    let turn = work.next([]);
    while (!turn.done) turn = work.next(await this.#take(client, turn.value, changed));
    return turn.value;
  }

  async #take(client: pg.ClientBase, step: Step, changed: Changed): Promise<readonly unknown[]> {
    if ('values' in step) return await this.#statements.run(client, step);
    if ('each' in step) return await this.#statements.runMany(client, step);
    if ('lock' in step) await takeLock(client, step);
    else if ('job' in step) await this.#runJobStep(client, step);
    else if ('access' in step) changed.access = true;
    else changed.feeds.add(step.changed);
    return [];
  }
}

/** What failed is undone. A connection whose state nobody knows does not go back to the others. */
async function onConnection<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (cause) {
    const isUndone =
      !isLostConnection(cause) &&
      (await client.query('rollback').then(
        () => true,
        () => false,
      ));
    client.release(!isUndone);
    throw cause;
  }
}
