import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Checkpointer } from '../../src/storage/sqlite/checkpointer.ts';
import { openDatabase, openForReads } from '../../src/storage/sqlite/open.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { Slices } from '../../src/storage/sqlite/slices.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { writeAudit } from '../../src/storage/units/audit.ts';
import { query } from '../../src/storage/units/query.ts';
import { row, type UnitOfWork } from '../../src/storage/units/unit-of-work.ts';
import { eventually } from '../until.ts';
import { asRead, FeedRig } from './contracts/feed-rig.ts';
import { audit, testForms } from './contracts/store-contract.ts';

const countEntries = query()((db) =>
  db.selectFrom('audit').select(({ fn }) => fn.countAll<number>().as('count')),
);

function* count(): UnitOfWork<number> {
  return (yield* row(countEntries, {}))?.count ?? 0;
}

/** Counts repeatedly, with one statement each. */
function* countAgain(times: number): UnitOfWork<readonly number[]> {
  const counts: number[] = [];
  for (let done = 0; done < times; done += 1) counts.push(yield* count());
  return counts;
}

function* write(entries: number): UnitOfWork<number> {
  for (let done = 0; done < entries; done += 1) yield* writeAudit(audit, 'test', String(done), {});
  return entries;
}

/** Advances by a millisecond at each reading, so that a slice always has the same statements. */
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

  /** Measures each turn of the event loop from now on. */
  measure(): void {
    this.longestTurn = Math.max(this.longestTurn, this.#ms - this.#before);
    this.#before = this.#ms;
    this.turns += 1;
    if (this.#isOn) setImmediate(() => this.measure());
  }

  stop(): void {
    this.#isOn = false;
  }
}

/** Upper bound for one turn: a slice of each kind of work, and units that start within it. */
const MAX_IN_A_TURN = 40;

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
    time.measure();
    try {
      await check(runner, time);
    } finally {
      time.stop();
      await runner.close();
    }
  }

  it('divides a long read over many turns, which all see the same snapshot', () =>
    withRunner(async (runner, time) => {
      const reading = runner.read(() => countAgain(500));
      for (let written = 0; written < 10; written += 1) await runner.write(() => write(1));
      assert.equal(await runner.read(count), 10, 'commits are visible to new reads');
      assert.equal(new Set(await reading).size, 1);
      assert.ok(time.turns > 50, `${time.turns} turns`);
      assert.ok(time.longestTurn <= MAX_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('runs a read once although its last statement exceeds the slice', () =>
    withRunner(async (runner, time) => {
      let runs = 0;
      await runner.read(function* (): UnitOfWork<void> {
        runs += 1;
        yield* count();
        for (let ms = 0; ms < 10; ms += 1) time.now();
      });
      await runner.read(function* (): UnitOfWork<void> {
        for (let ms = 0; ms < 10; ms += 1) time.now();
        runs += 1;
        yield* count();
      });
      assert.equal(runs, 2);
    }));

  it('divides a long write over many turns, and no read sees a part of it', () =>
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
      assert.ok(seen.has(0), 'reads run meanwhile');
      assert.ok(time.turns > 50, `${time.turns} turns`);
      assert.ok(time.longestTurn <= MAX_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('divides many concurrent calls into several transactions, in order', () =>
    withRunner(async (runner, time) => {
      function* writeAll(inputs: readonly number[]): UnitOfWork<readonly number[]> {
        for (const _ of inputs) yield* write(1);
        return inputs;
      }
      const order: number[] = [];
      const calls = Array.from({ length: 1000 }, async (_, index) => {
        assert.equal(await runner.batchWrite(writeAll, index), index);
        order.push(index);
      });
      await Promise.all(calls);
      assert.deepEqual(
        order,
        order.toSorted((one, other) => one - other),
      );
      assert.equal(await runner.read(count), 1000);
      assert.ok(time.longestTurn <= MAX_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('divides concurrent short reads over several turns', () =>
    withRunner(async (runner, time) => {
      await Promise.all(Array.from({ length: 200 }, () => runner.read(() => countAgain(2))));
      await Promise.all(Array.from({ length: 8 }, () => runner.read(() => countAgain(100))));
      assert.ok(time.longestTurn <= MAX_IN_A_TURN, `${time.longestTurn} in one turn`);
    }));

  it('rolls back a long write that fails, but not the other writes', () =>
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

  it('executes about as many statements for a list over many feeds as over few', () =>
    withRunner(async (runner, time) => {
      const store = createStore(runner, testForms);
      const rig = await FeedRig.in(store);
      const costs: number[] = [];
      for (const feeds of [3, 60]) {
        const services = await Promise.all(Array.from({ length: feeds }, () => rig.service()));
        await Promise.all(services.map((service) => rig.create(service)));
        const before = time.now();
        const query = { scope: undefined, order: 'desc', after: undefined, limit: 10 } as const;
        await store.feeds.list({ ...query, filter: { minConfidence: 1 } }, asRead);
        await store.feeds.list({ ...query, filter: {} }, asRead);
        costs.push(time.now() - before);
      }
      const [few = 0, many = 0] = costs;
      assert.ok(many <= 2 * few, `${few} ms for few feeds, ${many} ms for many`);
    }));

  it('restarts the log although there is always a long read running', async () => {
    const file = join(folder, 'overlapping.db');
    const db = openDatabase(file);
    const runner = new SqliteRunner(db, {
      checkpointer: new Checkpointer(db, file, { intervalMs: 1, restartPages: 200 }),
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
    let maxPages = 0;
    const pages = await eventually(
      () => {
        const now = log.get()?.['log'] as number;
        maxPages = Math.max(maxPages, now);
        return now;
      },
      (now) => now < maxPages,
      20_000,
    );
    isOn = false;
    await Promise.all([...reading, writing]);
    await runner.close();
    assert.ok(pages < maxPages, `the log has ${pages} pages`);
  });

  it('finishes running and pending units before it closes', async () => {
    const units: Promise<unknown>[] = [];
    await withRunner(async (runner) => {
      units.push(
        runner.read(() => countAgain(300)),
        runner.write(() => write(100)),
      );
    });
    const [counts, written] = await Promise.all(units);
    assert.equal((counts as readonly number[]).length, 300);
    assert.equal(written, 100);
  });

  it('rejects units after it is closed', async () => {
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
