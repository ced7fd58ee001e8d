import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { BossDatabase } from '../../src/queue/boss-database.ts';
import {
  type BossOptions,
  type BossQueue,
  openBossQueue,
  type QueuedJob,
} from '../../src/queue/pg-boss.ts';
import { newDatabase, postgresServer, type TestDatabase } from '../postgres.ts';
import { type QueueBench, queueContract } from './contract.ts';

const silent = { error: () => undefined, warn: () => undefined };
const systemTime = () => new Date();
const HOUR_MS = 3_600_000;
const LEASE_MS = 10_000;

const server = await postgresServer();
after(() => server.stop());

function openPool(url: string, max = 4): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, connectionTimeoutMillis: 60_000 });
  // Connections that the server ends while nobody uses them.
  pool.on('error', () => undefined);
  return pool;
}

const dbOf = (client: pg.Pool | pg.ClientBase) => ({
  executeSql: (text: string, values?: unknown[]) => client.query(text, values),
});

/** From then on the clock of pg-boss shows what is in that table. */
async function stopClock({ run }: TestDatabase): Promise<void> {
  await run('create table stopped_clock (shows timestamptz not null)');
  await run('insert into stopped_clock values (now())');
  await run(`
    create or replace function pgboss.job_now() returns timestamptz
    language sql stable as 'select shows from stopped_clock'`);
}

/** With the one table of the store that the queue needs. */
async function queueDatabase(): Promise<TestDatabase> {
  const database = await newDatabase(server);
  await database.run(
    'create table job_turn (kind text, account_id text, turn bigint, primary key (kind, account_id))',
  );
  return database;
}

const jobOf = (key: string): QueuedJob => ({ kind: 'analyse', key, accountId: 'a1', turn: 1 });

async function open(): Promise<QueueBench> {
  const database = await queueDatabase();
  const pools = [openPool(database.url), openPool(database.url)] as const;
  let time = new Date();
  const node = (pool: pg.Pool) => openBossQueue({ pool, now: () => time, log: silent });
  const [one, other] = await Promise.all([node(pools[0]), node(pools[1])]);
  await stopClock(database);
  const [pool] = pools;
  const setTime = async (at: Date) => {
    time = at;
    await pool.query('update stopped_clock set shows = $1', [at]);
  };
  return {
    queues: [one.queue, other.queue],
    setTime,
    async add(key, at) {
      await setTime(at);
      await one.enqueue(dbOf(pool), jobOf(key));
    },
    async addInVain(key, at) {
      await setTime(at);
      const client = await pool.connect();
      await client.query('begin');
      await one.enqueue(dbOf(client), jobOf(key));
      await client.query('rollback');
      client.release();
    },
    remove: (key) => one.remove(dbOf(pool), 'analyse', key),
    async clear() {
      await pool.query('delete from pgboss.job');
    },
    async close() {
      await Promise.all([one.stop(), other.stop()]);
      await Promise.all(pools.map((each) => each.end()));
      await database.drop();
    },
  };
}

queueContract('pg-boss', open);

describe('pg-boss queue', () => {
  let database: TestDatabase;
  const closers: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    database = await queueDatabase();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await database.drop();
  });

  function pool(max?: number): pg.Pool {
    const opened = openPool(database.url, max);
    closers.push(() => opened.end());
    return opened;
  }

  async function node(options: Partial<BossOptions> = {}): Promise<BossQueue> {
    const boss = await openBossQueue({ pool: pool(), now: systemTime, log: silent, ...options });
    closers.push(() => boss.stop());
    return boss;
  }

  /** A node and one job that waits. */
  async function nodeWithJob(options?: Partial<BossOptions>): Promise<BossQueue> {
    const boss = await node(options);
    await boss.enqueue(dbOf(pool(1)), jobOf('a'));
    return boss;
  }

  function claim({ queue }: BossQueue, leaseMs = LEASE_MS) {
    return queue.claim('analyse', { limit: 10, leaseMs, now: new Date() });
  }

  async function claimOne(boss: BossQueue, leaseMs?: number) {
    const [job] = await claim(boss, leaseMs);
    return job ?? assert.fail('nothing was due');
  }

  /**
   * Asks as a runner does, only more often: one that failed is asked again. The upkeep of pg-boss, which would give a job
   * out again too, comes every minute.
   */
  async function claimSoon(boss: BossQueue) {
    const deadline = performance.now() + 45_000;
    for (; performance.now() < deadline; await pause(20)) {
      const [job] = await claim(boss).catch(() => []);
      if (job !== undefined) return job;
    }
    return assert.fail('it was not given out');
  }

  it('is made by whichever of many nodes comes first', async () => {
    const nodes = await Promise.all(Array.from({ length: 8 }, () => node({ pool: pool(1) })));
    await nodes[0]?.enqueue(dbOf(pool(1)), jobOf('a'));
    const depths = await Promise.all(nodes.map(({ queue }) => queue.depth('analyse')));
    assert.deepEqual(new Set(depths), new Set([1]));
  });

  it('is kept by a schema of that name, as often as it is opened', async () => {
    const first = await nodeWithJob({ schema: 'jobs_of_rapsheet' });
    await first.stop();
    const second = await node({ schema: 'jobs_of_rapsheet' });
    assert.equal((await claimOne(second)).key, 'a');
    const elsewhere = await node();
    assert.equal(await elsewhere.queue.depth('analyse'), 0);
  });

  it('gives out what was enqueued after the commit, and not before', async () => {
    const boss = await node();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('begin');
    await boss.enqueue(dbOf(client), jobOf('a'));
    assert.deepEqual(await claim(boss), []);
    await client.query('commit');
    await client.end();
    assert.equal((await claimOne(boss)).key, 'a');
  });

  it('enqueues on the transaction alone, even as the first thing that it does', async () => {
    const only = pool(1);
    const boss = await node({ pool: only });
    const client = await only.connect();
    try {
      await client.query('begin');
      await boss.enqueue(dbOf(client), jobOf('a'));
      await boss.remove(dbOf(client), 'analyse', 'a');
      await boss.enqueue(dbOf(client), jobOf('b'));
      await client.query('commit');
    } finally {
      client.release();
    }
    assert.equal((await claimOne(boss)).key, 'b');
  });

  it('gives a job of whoever has died to another node, by the clock of the database', async () => {
    const [dying, other] = [await nodeWithJob(), await node()];
    const job = await claimOne(dying, 300);
    const taken = await claimSoon(other);
    assert.equal(taken.attempt, 2);
    assert.equal(await dying.queue.complete(job), false);
  });

  for (const [name, aheadMs] of [
    ['is ahead', HOUR_MS],
    ['is behind', -HOUR_MS],
  ] as const) {
    it(`is right for a node whose clock ${name}`, async () => {
      const now = () => new Date(Date.now() + aheadMs);
      const inMs = (ms: number) => new Date(now().getTime() + ms);
      const [wrong, right] = [await nodeWithJob({ now }), await node()];
      await wrong.queue.extend(await claimOne(wrong, 100), inMs(LEASE_MS));
      await pause(150);
      assert.deepEqual(await claim(right), [], 'it is leased still');
      await stopClock(database);
      const pass = (ms: number) =>
        database.run("update stopped_clock set shows = shows + $1 * interval '1 ms'", [ms]);
      await pass(LEASE_MS + 1000);
      const job = await claimOne(wrong);
      await wrong.queue.retry(job, inMs(5000), 'crashed');
      await pass(4000);
      assert.deepEqual(await claim(right), [], 'it is not due yet');
      await pass(2000);
      assert.equal((await claimOne(right)).attempt, 3);
    });
  }

  it('leaves an operator the reason of the last failure', async () => {
    const boss = await nodeWithJob();
    await boss.queue.retry(await claimOne(boss), new Date(), 'crashed');
    const found = await database.run('select output from pgboss.job');
    assert.deepEqual(found, [{ output: { reason: 'crashed' } }]);
  });

  it('loses nothing to the upkeep of pg-boss, however long it waits or has been tried', async () => {
    const boss = await nodeWithJob();
    for (let tries = 0; tries < 5; tries += 1)
      await boss.queue.retry(await claimOne(boss), new Date(), 'crashed');
    const held = await claimOne(boss);
    await boss.enqueue(dbOf(pool(1)), jobOf('b'));
    await stopClock(database);
    await database.run("update stopped_clock set shows = shows + interval '20 years'");
    const upkeep = new PgBoss({ db: dbOf(pool()), schedule: false, supervise: false });
    upkeep.on('error', (err) => assert.fail(err));
    await upkeep.start();
    await upkeep.supervise();
    await upkeep.stop({ close: false });
    const states = await database.run('select singleton_key, state from pgboss.job order by 1');
    assert.deepEqual(
      states,
      [
        { singleton_key: 'a', state: 'retry' },
        { singleton_key: 'b', state: 'created' },
      ],
      'it has taken back the one whose lease is over',
    );
    const jobs = await claim(boss);
    assert.deepEqual(
      jobs.map(({ key, attempt }) => [key, attempt]),
      [
        ['a', 7],
        ['b', 1],
      ],
    );
    assert.equal(await boss.queue.complete(held), false);
  });

  it('uses up no attempt where a claim fails half way', async () => {
    const boss = await nodeWithJob();
    await database.run(`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no lease today'; end $$`);
    await database.run(`
      create trigger refuse before update on pgboss.job_common
        for each row when (old.state = 'active') execute function refuse()`);
    await assert.rejects(claim(boss), /no lease today/);
    await database.run('drop trigger refuse on pgboss.job_common');
    assert.equal((await claimOne(boss)).attempt, 1);
  });

  it('holds no lock that another node waits for until its claim is committed', async () => {
    const [slow, other] = [await nodeWithJob(), await node()];
    const { transact } = BossDatabase.prototype;
    const { promise: worked, resolve: hasWorked } = Promise.withResolvers<void>();
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
    // The first claim stops before its commit.
    const stopped = mock.method(
      BossDatabase.prototype,
      'transact',
      function (this: BossDatabase, work: Parameters<typeof transact>[0]) {
        return transact.call(this, async (db) => {
          const result = await work(db);
          hasWorked();
          await resumed;
          return result;
        });
      },
    );
    const claiming = claim(slow);
    await worked;
    stopped.mock.restore();
    await other.enqueue(dbOf(pool(1)), jobOf('b'));
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    let isDone = false;
    const claimed = claim(other).finally(() => {
      isDone = true;
    });
    let wasBlocked = false;
    while (!isDone && !wasBlocked) {
      await pause(20);
      wasBlocked = (await database.run(waiting)).length > 0;
    }
    resume();
    await claiming;
    assert.equal(wasBlocked, false);
    assert.deepEqual(
      (await claimed).map(({ key }) => key),
      ['b'],
    );
  });

  it('gives out a job although the turns cannot be moved on', async () => {
    const warnings: unknown[] = [];
    const log = { ...silent, warn: (...told: unknown[]) => void warnings.push(told) };
    const boss = await nodeWithJob({ log });
    await database.run('alter table job_turn rename to gone');
    assert.equal((await claimOne(boss)).key, 'a');
    assert.equal(warnings.length, 1);
  });

  it('goes on when the connections were ended', async () => {
    const boss = await nodeWithJob();
    await database.run(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    assert.equal((await claimSoon(boss)).key, 'a');
  });

  it('tells of an upkeep that fails, and lives on', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    closers.push(() => Promise.resolve(mock.timers.reset()));
    const { promise: told, resolve } = Promise.withResolvers<unknown>();
    const boss = await node({ log: { ...silent, error: resolve } });
    await database.run('alter table pgboss.queue rename to gone');
    mock.timers.tick(60_000);
    assert.match(String(((await told) as { err: Error }).err.message), /pgboss.queue/);
    await database.run('alter table pgboss.gone rename to queue');
    assert.deepEqual(await claim(boss), []);
  });

  it('does not open where there is no database', async () => {
    const nowhere = openPool('postgres://rapsheet@127.0.0.1:1/nothing');
    closers.push(() => nowhere.end());
    await assert.rejects(node({ pool: nowhere }), /ECONNREFUSED/);
  });

  it('keeps no timer when it is stopped', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const own = openPool(database.url);
    const boss = await openBossQueue({ pool: own, now: systemTime, log: silent });
    assert.ok(timers() > before);
    await boss.stop();
    await own.end();
    // One that was there before may have gone meanwhile.
    assert.ok(timers() <= before);
  });

  it('cuts off what does not end', async () => {
    const own = pool(1);
    const busy = new BossDatabase(own);
    const sleeping = assert.rejects(busy.executeSql('select pg_sleep(60)'));
    while (
      (await database.run("select 1 from pg_stat_activity where wait_event = 'PgSleep'")).length ===
      0
    );
    busy.cut();
    await sleeping;
    assert.deepEqual((await busy.executeSql('select 1 as one')).rows, [{ one: 1 }]);
  });

  it('waits for no answer to what should be answered soon, but for its upkeep', async () => {
    const own = new BossDatabase(pool(1), 300);
    const slow = 'select pg_sleep(1)';
    await assert.rejects(
      own.transact((db) => db.executeSql(slow)),
      /Query read timeout/,
    );
    assert.equal((await own.executeSql(slow)).rows.length, 1);
  });

  it('gives back no connection with a transaction that failed', async () => {
    const own = new BossDatabase(pool(1));
    await assert.rejects(own.executeSql('begin; select 1 / 0; commit'));
    await assert.rejects(own.transact((db) => db.executeSql('select 1 / 0')));
    assert.deepEqual((await own.executeSql('select 1 as one')).rows, [{ one: 1 }]);
  });
});
