import type pg from 'pg';
import type { JobStep, Runner, Step, UnitOfMany, UnitOfWork } from '../unit-of-work.ts';
import { untilDone } from './attempts.ts';
import type { DatabaseClock } from './clock.ts';
import { commit, unconfirmed } from './commit.ts';
import { ConnectionWatchdog } from './connection-watchdog.ts';
import { codeOf, FAILED_TRANSACTION, isLostConnection } from './failures.ts';
import { Gatherer, type GathererOptions } from './gatherer.ts';
import { takeLock } from './locks.ts';
import { isCommitted, type Mark, Marks } from './outcome.ts';
import type { Pools } from './pools.ts';
import { type Compensation, Settlements } from './settlements.ts';
import { Statements } from './statements.ts';
import { Watch } from './watch.ts';

/** So long a call waits for word of its commit: as a server needs to be started again, and a caller is ready to wait. */
const CONFIRMATION_MS = 6000;
/** While so many batches are under way, calls of the same kind gather for the next. */
const WRITES_AT_ONCE = 1;
const READS_AT_ONCE = 2;

const BEGIN_READ = 'begin isolation level repeatable read read only';
const BEGIN_WRITE = 'begin';
const FORGET_MARKS_EVERY_MS = 3_600_000;

/** Puts jobs into the queue, or takes them out, on the connection of a running transaction. */
export type RunJobStep = (client: pg.ClientBase, step: JobStep) => Promise<void>;

export interface RunnerOptions {
  readonly pools: Pools;
  readonly connection: pg.ClientConfig;
  readonly runJobStep: RunJobStep;
  /** How long a call waits for word of its commit where the answer to that was lost. */
  readonly confirmationMs?: number;
  /** Kept right for as long as the runner is open. */
  readonly clock?: Pick<DatabaseClock, 'add'>;
}

/** What a unit has said on its way. */
interface Effects {
  /** The feeds that it has changed, for whoever listens. */
  readonly changed: Set<string>;
  readonly compensations: Compensation[];
}

const noEffects = (): Effects => ({ changed: new Set(), compensations: [] });

interface Done<Result> {
  readonly result: Result;
  /** The feeds that it has changed, for whoever listens. */
  readonly changed: ReadonlySet<string>;
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
  readonly #gatheredWrites: GathererOptions = {
    // Calls for other rows are not kept waiting: those for the locked one are run apart.
    perform: (work) => this.#writeOn(this.#pools.gathered, work, { isHasty: true }),
    performApart: (work) => this.write(work),
    atOnce: WRITES_AT_ONCE,
  };
  readonly #gatheredReads: GathererOptions = {
    perform: (work) => this.#readOn(this.#pools.gathered, work),
    performApart: (work) => this.#readOn(this.#pools.gathered, work),
    atOnce: READS_AT_ONCE,
  };
  readonly #listeners = new Set<(service: string) => void>();
  readonly #watch: Watch;
  readonly #marks = new Marks();
  readonly #forgetMarks: NodeJS.Timeout;
  readonly #watchdog: ConnectionWatchdog;
  readonly #settlements: Settlements;
  readonly #confirmationMs: number;

  constructor({ pools, connection, runJobStep, confirmationMs, clock }: RunnerOptions) {
    this.#pools = pools;
    this.#runJobStep = runJobStep;
    this.#confirmationMs = confirmationMs ?? CONFIRMATION_MS;
    const { gathered, reads, writes, jobs } = pools;
    this.#watchdog = new ConnectionWatchdog(connection, [gathered, reads, writes, jobs]);
    this.#settlements = new Settlements({
      pool: writes,
      reads,
      perform: (client, work) =>
        this.#perform(client, work, { begun: Promise.resolve(), effects: noEffects() }),
    });
    this.#watch = new Watch(connection, {
      feeds: (slugs) => this.#announce(slugs),
      time: (sample) => clock?.add(sample),
    });
    this.#watch.start();
    const forget = () => void this.#marks.forgetOld(pools.jobs).catch(() => undefined);
    this.#forgetMarks = setInterval(forget, FORGET_MARKS_EVERY_MS);
    this.#forgetMarks.unref();
  }

  /** All of it sees the store as it was at one moment. */
  async read<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#readOn(this.#pools.reads, work);
  }

  async #readOn<Result>(pool: pg.Pool, work: () => UnitOfWork<Result>): Promise<Result> {
    return await untilDone(pool, async (client) => {
      inOnePiece(client);
      // Not waited for: it goes out together with the first query.
      const begun = client.query(BEGIN_READ);
      begun.catch(() => undefined);
      const result = await this.#perform(client, work(), { begun, effects: noEffects() });
      // Nor is its end: there is nothing in it that could be lost, and whatever comes next on this connection comes after it.
      client.query('commit').catch(() => undefined);
      return result;
    });
  }

  async write<Result>(work: () => UnitOfWork<Result>): Promise<Result> {
    return await this.#writeOn(this.#pools.writes, work);
  }

  gather<Input, Result>(
    work: UnitOfMany<Input, Result>,
    input: Input,
    key: string,
  ): Promise<Result> {
    return this.#gathererOf(work, this.#gatheredWrites).add(input, key) as Promise<Result>;
  }

  gatherRead<Input, Result>(work: UnitOfMany<Input, Result>, input: Input): Promise<Result> {
    return this.#gathererOf(work, this.#gatheredReads).add(input, '') as Promise<Result>;
  }

  changedElsewhere(): boolean {
    return this.#watch.accessChanged();
  }

  onChange(listener: (service: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#forgetMarks);
    await this.#watch.stop();
    await this.#settlements.stop();
    this.#watchdog.stop();
    await this.#pools.end();
  }

  #gathererOf<Input, Result>(work: UnitOfMany<Input, Result>, options: GathererOptions): Gatherer {
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

  async #writeOn<Result>(
    pool: pg.Pool,
    work: () => UnitOfWork<Result>,
    options?: { readonly isHasty: boolean },
  ): Promise<Result> {
    const transact = (client: pg.PoolClient, tries: number) => this.#transact(client, work, tries);
    const { result, changed } = await untilDone(pool, transact, options);
    this.#announce(changed);
    if (changed.size > 0) this.#watch.tellFeeds([...changed]);
    return result;
  }

  async #transact<Result>(
    client: pg.PoolClient,
    work: () => UnitOfWork<Result>,
    tries: number,
  ): Promise<Done<Result>> {
    const effects = noEffects();
    inOnePiece(client);
    // Not waited for: both go out together with the first query.
    const begun = Promise.all([client.query(BEGIN_WRITE), this.#marks.leave(client, tries)]);
    begun.catch(() => undefined);
    const result = await this.#perform(client, work(), { begun, effects }).catch(
      async (cause: unknown) => {
        // Where the beginning failed, so did everything after it, which cannot tell why.
        await begun;
        throw cause;
      },
    );
    const [, mark] = await begun;
    await this.#commit(client, mark, effects.compensations);
    return { result, changed: effects.changed };
  }

  /**
   * Where the connection is lost just now, nobody has said yet whether it was done: that is asked of the store. Where
   * nobody can tell in time, the caller is refused, and what was charged is given back if the commit is found to stand.
   */
  async #commit(
    client: pg.PoolClient,
    mark: Mark,
    compensations: readonly Compensation[],
  ): Promise<void> {
    const doubt = await this.#doubtOf(client, mark);
    if (doubt === undefined) return;
    this.#settlements.add(mark, compensations);
    // The next transaction of this connection would overwrite the mark.
    client.connection.stream.destroy();
    throw unconfirmed(new Error(doubt));
  }

  /** Why the caller cannot be told that it is done, although it may be. Throws where it was not done. */
  async #doubtOf(client: pg.ClientBase, mark: Mark): Promise<string | undefined> {
    try {
      return await commit(client);
    } catch (cause) {
      if (!isLostConnection(cause)) throw cause;
      // On connections that nobody keeps for long: all the others may be held by those who ask the same.
      const isDone = await isCommitted(this.#pools.reads, mark, this.#confirmationMs);
      if (isDone === false) throw cause;
      return isDone ? undefined : 'the database went away while it was asked to commit';
    }
  }

  /**
   * The first step is on its way before it is known that there is a transaction, and the database would do it all the same where
   * there is none. So whatever changes anything waits, or sees for itself (`IN_TRANSACTION`).
   */
  async #perform<Result>(
    client: pg.ClientBase,
    work: UnitOfWork<Result>,
    { begun, effects }: { readonly begun: Promise<unknown>; readonly effects: Effects },
  ): Promise<Result> {
    let turn = work.next([]);
    if (!turn.done && !this.#isHarmlessAlone(turn.value)) await begun;
    while (!turn.done) {
      const answer = await this.#take(client, turn.value, effects);
      await begun;
      turn = work.next(answer);
    }
    await begun;
    return turn.value;
  }

  #isHarmlessAlone(step: Step): boolean {
    if ('together' in step) return step.together.every((one) => this.#isHarmlessAlone(one));
    if ('query' in step) return this.#statements.isHarmlessAlone(step);
    return 'lock' in step || 'changed' in step || 'compensation' in step;
  }

  async #take(client: pg.ClientBase, step: Step, effects: Effects): Promise<readonly unknown[]> {
    // Sent one after the other without waiting; the answers come in the same order.
    if ('together' in step)
      return await allOf(step.together.map((one) => this.#take(client, one, effects)));
    if ('values' in step) return await this.#statements.run(client, step);
    if ('each' in step) return await this.#statements.runMany(client, step);
    if ('lock' in step) await takeLock(client, step);
    else if ('job' in step) await this.#runJobStep(client, step);
    else if ('access' in step) await this.#watch.tellAccess(client);
    else if ('compensation' in step) effects.compensations.push(step.compensation);
    else effects.changed.add(step.changed);
    return [];
  }
}

/** What is sent without waiting is one call of the system here, and one arrival there. */
function inOnePiece({ connection: { stream } }: pg.PoolClient): void {
  stream.cork();
  queueMicrotask(() => stream.uncork());
}

/** All of them have ended when it does. What failed only because another had is not told. */
async function allOf<Result>(steps: readonly Promise<Result>[]): Promise<readonly Result[]> {
  const settled = await Promise.allSettled(steps);
  const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failed.length > 0)
    throw failed.find((cause) => codeOf(cause) !== FAILED_TRANSACTION) ?? failed[0];
  return await Promise.all(steps);
}
