import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { writeAudit } from '../../src/storage/sql/accounts/audit.ts';
import { Checkpointer } from '../../src/storage/sqlite/checkpointer.ts';
import { openDatabase, openForReads } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { Slices } from '../../src/storage/sqlite/slices.ts';
import { storeOver } from '../../src/storage/store.ts';
import { query, row, type UnitOfWork } from '../../src/storage/unit-of-work.ts';
import { eventually } from '../until.ts';
import { FeedWorld } from './contracts/feed-world.ts';
import { audit, testForms } from './contracts/store-contract.ts';

const countEntries = query()((db) =>
  db.selectFrom('audit').select(({ fn }) => fn.countAll<number>().as('count')),
);

function* count(): UnitOfWork<number> {
  return (yield* row(countEntries, {}))?.count ?? 0;
}

/** Counts so many times, one statement each. */
function* countAgain(times: number): UnitOfWork<readonly number[]> {
  const counts: number[] = [];
  for (let done = 0; done < times; done += 1) counts.push(yield* count());
  return counts;
}

function* write(entries: number): UnitOfWork<number> {
  for (let done = 0; done < entries; done += 1) yield* writeAudit(audit, 'test', String(done), {});
  return entries;
}

/** A clock on which every look takes a millisecond: a slice is always the same number of statements. */
class CountedTime {
  #ms = 0;
  #before = 0;
  longestTurn = 0;
  turns = 0;
  #isOn = true;

  now = (): number => {
    this.#ms += 1;
    return this.#ms;
  };

  /** Looks at the clock in each turn of the event loop from now on. */
  watch(): void {
    this.longestTurn = Math.max(this.longestTurn, this.#ms - this.#before);
    this.#before = this.#ms;
    this.turns += 1;
    if (this.#isOn) setImmediate(() => this.watch());
  }

  stop(): void {
    this.#isOn = false;
  }
}

/** More than any one turn may take: a slice of each kind of work and what is begun within it. */
const MOST_IN_A_TURN = 40;

describe('slices of work on SQLite', () => {
  let folder: string;
  let files = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rapsheet-slices-'));
  });

  after(() => rm(folder, { recursive: true }));

  async function withRunner(
    check: (runner: SqliteRunner, time: CountedTime) => Promise<void>,
  ): Promise<void> {
    files += 1;
    const file = join(folder, `${files}.db`);
    const time = new CountedTime();
    const slices = new Slices(time.now);
    const runner = new SqliteRunner(openDatabase(file), {
      connect: () => openForReads(file),
      slices,
    });
    time.watch();
    try {
      await check(runner, time);
    } finally {
      time.stop();
      await runner.close();
    }
  }

  it('divides a long read over many turns, all of which see the store at one moment', () =>
    withRunner(async (runner, time) => {
      const reading = runner.read(() => countAgain(500));
      for (let written = 0; written < 10; written += 1) await runner.write(() => write(1));
      assert.equal(await runner.read(count), 10, 'what was committed is read');
      assert.equal(new Set(await reading).size, 1);
      assert.ok(time.turns > 50, `${time.turns} turns`);
      assert.ok(time.longestTurn <= MOST_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('runs a read whose last statement goes beyond the slice once', () =>
    withRunner(async (runner, time) => {
      let runs = 0;
      await runner.read(function* (): UnitOfWork<void> {
        runs += 1;
        yield* count();
        for (let looks = 0; looks < 10; looks += 1) time.now();
      });
      await runner.read(function* (): UnitOfWork<void> {
        for (let looks = 0; looks < 10; looks += 1) time.now();
        runs += 1;
        yield* count();
      });
      assert.equal(runs, 2);
    }));

  it('divides a long write over many turns, and nobody sees half of it', () =>
    withRunner(async (runner, time) => {
      const order: string[] = [];
      const long = runner.write(() => write(500)).then(() => order.push('long'));
      const next = runner.write(() => write(1)).then(() => order.push('next'));
      const seen = new Set<number>();
      while (order.length === 0) {
        seen.add(await runner.read(count));
        await new Promise(setImmediate);
      }
      await Promise.all([long, next]);
      assert.deepEqual(order, ['long', 'next']);
      assert.equal(await runner.read(count), 501);
      assert.deepEqual(
        [...seen].filter((one) => one > 0 && one < 500),
        [],
      );
      assert.ok(seen.has(0), 'reads went on meanwhile');
      assert.ok(time.turns > 50, `${time.turns} turns`);
      assert.ok(time.longestTurn <= MOST_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('divides many calls that come at once into several transactions, in order', () =>
    withRunner(async (runner, time) => {
      function* writeAll(inputs: readonly number[]): UnitOfWork<readonly number[]> {
        for (const _ of inputs) yield* write(1);
        return inputs;
      }
      const order: number[] = [];
      const calls = Array.from({ length: 1000 }, async (_, index) => {
        assert.equal(await runner.gather(writeAll, index), index);
        order.push(index);
      });
      await Promise.all(calls);
      assert.deepEqual(
        order,
        order.toSorted((one, other) => one - other),
      );
      assert.equal(await runner.read(count), 1000);
      assert.ok(time.longestTurn <= MOST_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('divides short reads that come at once over the turns, so that all of them get on', () =>
    withRunner(async (runner, time) => {
      await Promise.all(Array.from({ length: 200 }, () => runner.read(() => countAgain(2))));
      await Promise.all(Array.from({ length: 8 }, () => runner.read(() => countAgain(100))));
      assert.ok(time.longestTurn <= MOST_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('undoes a long write that fails, and none of its neighbours', () =>
    withRunner(async (runner) => {
      function* failing(): UnitOfWork<number> {
        yield* write(100);
        throw new Error('this one fails');
      }
      const outcomes = await Promise.allSettled([
        runner.write(() => write(50)),
        runner.write(failing),
        runner.write(() => write(7)),
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.equal(await runner.read(count), 57);
    }));

  it('looks at as little for a list over many feeds as for one over few', () =>
    withRunner(async (runner, time) => {
      const store = storeOver(runner, testForms);
      const world = await FeedWorld.in(store);
      const costs: number[] = [];
      for (const feeds of [3, 60]) {
        const services = await Promise.all(Array.from({ length: feeds }, () => world.service()));
        await Promise.all(services.map((service) => world.create(service)));
        const before = time.now();
        const query = { scope: undefined, order: 'desc', after: undefined, limit: 10 } as const;
        await store.feeds.list({ ...query, filter: { minConfidence: 1 } });
        await store.feeds.list({ ...query, filter: {} });
        costs.push(time.now() - before);
      }
      const [few = 0, many = 0] = costs;
      assert.ok(many <= 2 * few, `${few} looks at the clock for few feeds, ${many} for many`);
    }));

  it('begins the log anew although one long read or another is always under way', async () => {
    const file = join(folder, 'overlapping.db');
    const db = openDatabase(file);
    const runner = new SqliteRunner(db, {
      checkpointer: new Checkpointer(db, file, 1),
      connect: () => openForReads(file),
      slices: new Slices(new CountedTime().now),
    });
    let isOn = true;
    const repeat = async (work: () => Promise<unknown>) => {
      while (isOn) await work();
    };
    const reading = Array.from({ length: 6 }, () =>
      repeat(() => runner.read(() => countAgain(50))),
    );
    const writing = repeat(() =>
      runner.write(() => writeAudit(audit, 'test', 'x'.repeat(100_000), {})),
    );
    const log = db.prepare('pragma wal_checkpoint(noop)');
    let most = 0;
    const pages = await eventually(
      () => {
        const now = log.get()?.['log'] as number;
        most = Math.max(most, now);
        return now;
      },
      (now) => now < most,
      20_000,
    );
    isOn = false;
    await Promise.all([...reading, writing]);
    await runner.close();
    assert.ok(pages < most, `the log has ${pages} pages`);
  });

  it('finishes what is under way before it closes', async () => {
    const underWay: Promise<unknown>[] = [];
    await withRunner(async (runner) => {
      underWay.push(
        runner.read(() => countAgain(300)),
        runner.write(() => write(100)),
      );
    });
    const [counts, written] = await Promise.all(underWay);
    assert.equal((counts as readonly number[]).length, 300);
    assert.equal(written, 100);
  });

  it('rejects what comes after it was closed', async () => {
    const closed: SqliteRunner[] = [];
    await withRunner(async (runner) => {
      closed.push(runner);
    });
    for (const runner of closed) {
      await assert.rejects(runner.write(() => write(1)));
      await assert.rejects(runner.read(count));
    }
  });
});
