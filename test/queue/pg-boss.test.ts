import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Queue } from '../../src/ports/queue.ts';
import {
  addBossJob,
  type Boss,
  type BossOptions,
  type NewBossJob,
  openBoss,
  removeBossJob,
} from '../../src/queue/boss.ts';
import { BossDatabase } from '../../src/queue/boss-database.ts';
import { PgBossQueue, type PgBossQueueOptions } from '../../src/queue/pg-boss.ts';
import { newDatabase, postgresServer, type TestDatabase } from '../postgres.ts';
import { type QueueRig, queueContract } from './contract.ts';

const silent = { error: () => undefined, warn: () => undefined };
const noStartTags = { write: () => Promise.resolve(undefined as never) };

const server = await postgresServer();
after(() => server.stop());

function openPool(url: string, max = 4): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max, connectionTimeoutMillis: 60_000 });
  // Connections that the server ends, idle or not, as in the pools of the store.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const dbOf = (client: pg.Pool | pg.ClientBase) => ({
  executeSql: (text: string, values?: unknown[]) => client.query(text, values),
});

/** From then on the clock of pg-boss shows the time in that table. */
async function stopClock({ run }: TestDatabase): Promise<void> {
  await run('create table stopped_clock (shows timestamptz not null)');
  await run('insert into stopped_clock values (now())');
  await run(`
    create or replace function pgboss.job_now() returns timestamptz
    language sql stable as 'select shows from stopped_clock'`);
}

const jobOf = (key: string): NewBossJob => ({ kind: 'analyse', key, accountId: 'a1', startTag: 1 });

/** A pg-boss that does its maintenance on demand alone. */
async function openSupervisor(pool: pg.Pool): Promise<PgBoss> {
  const supervisor = new PgBoss({
    db: dbOf(pool),
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: 1,
  });
  supervisor.on('error', (err) => assert.fail(err));
  return await supervisor.start();
}

async function open(): Promise<QueueRig> {
  const database = await newDatabase(server);
  const pools = [openPool(database.url), openPool(database.url)] as const;
  const [one, other] = await Promise.all(pools.map((pool) => openBoss({ pool, log: silent })));
  assert.ok(one !== undefined && other !== undefined);
  const queueOf = (boss: Boss) => new PgBossQueue({ boss, runner: noStartTags, log: silent });
  await stopClock(database);
  const [pool] = pools;
  const supervisor = await openSupervisor(pool);
  const setTime = async (at: Date) => {
    await pool.query('update stopped_clock set shows = $1', [at]);
  };
  return {
    queues: [queueOf(one), queueOf(other)],
    setTime,
    async add(key, at) {
      await setTime(at);
      await addBossJob(one, dbOf(pool), jobOf(key));
    },
    async addAndRollBack(key, at) {
      await setTime(at);
      const client = await pool.connect();
      await client.query('begin');
      await addBossJob(one, dbOf(client), jobOf(key));
      await client.query('rollback');
      client.release();
    },
    remove: (key) => removeBossJob(one, dbOf(pool), jobOf(key)),
    supervise: () => supervisor.supervise('analyse'),
    async clear() {
      await pool.query('delete from pgboss.job');
    },
    async close() {
      await supervisor.stop({ close: false });
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
    database = await newDatabase(server);
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

  interface Node {
    readonly boss: Boss;
    readonly queue: Queue;
  }

  type NodeOptions = Partial<BossOptions & Pick<PgBossQueueOptions, 'runner'>>;

  async function node({ runner = noStartTags, ...options }: NodeOptions = {}): Promise<Node> {
    const boss = await openBoss({ pool: pool(), log: silent, ...options });
    closers.push(() => boss.stop());
    return { boss, queue: new PgBossQueue({ boss, runner, log: options.log ?? silent }) };
  }

  const add = ({ boss }: Node, key: string) => addBossJob(boss, dbOf(pool(1)), jobOf(key));

  /** A node and one pending job. */
  async function nodeWithJob(options?: NodeOptions): Promise<Node> {
    const made = await node(options);
    await add(made, 'a');
    return made;
  }

  const lease = ({ queue }: Node) => queue.lease('analyse', 10);

  async function leaseOne(from: Node) {
    const [job] = await lease(from);
    return job ?? assert.fail('nothing was due');
  }

  /** Polls as a runner does, only more often: a lease that failed is repeated. */
  async function leaseSoon(from: Node) {
    const deadline = performance.now() + 45_000;
    for (; performance.now() < deadline; await pause(20)) {
      const [job] = await lease(from).catch(() => []);
      if (job !== undefined) return job;
    }
    return assert.fail('the job was not leased');
  }

  const passTime = (interval: string) =>
    database.run('update stopped_clock set shows = shows + $1::interval', [interval]);

  it('is created by any of many nodes that start at once', async () => {
    const nodes = await Promise.all(Array.from({ length: 8 }, () => node({ pool: pool(1) })));
    const [first = assert.fail()] = nodes;
    await add(first, 'a');
    const leased = await Promise.all(nodes.map(lease));
    assert.deepEqual(
      leased.flat().map(({ key }) => key),
      ['a'],
    );
  });

  it('keeps its jobs in a schema of that name, as often as it is opened', async () => {
    const first = await nodeWithJob({ schema: 'jobs_of_rapsheet' });
    await first.boss.stop();
    const elsewhere = await node();
    assert.deepEqual(await lease(elsewhere), []);
    const second = await node({ schema: 'jobs_of_rapsheet' });
    assert.equal((await leaseOne(second)).key, 'a');
  });

  it('lets a job be leased after the commit of its transaction, and not before', async () => {
    const one = await node();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('begin');
    await addBossJob(one.boss, dbOf(client), jobOf('a'));
    assert.deepEqual(await lease(one), []);
    await client.query('commit');
    await client.end();
    assert.equal((await leaseOne(one)).key, 'a');
  });

  it('adds and removes jobs on the connection of the transaction alone', async () => {
    const only = pool(1);
    const one = await node({ pool: only });
    const client = await only.connect();
    try {
      await client.query('begin');
      await addBossJob(one.boss, dbOf(client), jobOf('a'));
      await removeBossJob(one.boss, dbOf(client), jobOf('a'));
      await addBossJob(one.boss, dbOf(client), jobOf('b'));
      await client.query('commit');
    } finally {
      client.release();
    }
    assert.equal((await leaseOne(one)).key, 'b');
  });

  it('leases the jobs of an earlier version, which chose their ids at random', async () => {
    const one = await node();
    await database.run(
      `insert into pgboss.job (name, singleton_key, group_id, policy, heartbeat_seconds, data, retry_limit)
        values ('analyse', 'a', 'a1', 'exclusive', 10, '{"released": 0}', 2147483647)`,
    );
    await add(one, 'a');
    const job = await leaseOne(one);
    assert.equal(await one.queue.release(job), true);
    const again = await leaseOne(one);
    assert.equal(again.attempt, 1);
    assert.equal(await one.queue.retry(again, 'crashed'), true);
    assert.equal((await leaseOne(one)).attempt, 2);
  });

  it('declares the policy of the queue, even where an earlier version has created it', async () => {
    const first = await node();
    await first.boss.boss.updateQueue('analyse', { retryDelay: 77, heartbeatSeconds: 66 });
    await first.boss.stop();
    const second = await node();
    const declared = await second.boss.boss.getQueue('analyse');
    assert.deepEqual(
      [declared?.retryDelay, declared?.retryBackoff, declared?.retryDelayMax],
      [2, true, 10],
    );
    assert.equal(declared?.heartbeatSeconds, 10);
  });

  it('keeps the reason of the last failure for an operator', async () => {
    const one = await nodeWithJob();
    await one.queue.retry(await leaseOne(one), 'crashed');
    const found = await database.run('select output from pgboss.job');
    assert.deepEqual(found, [{ output: { reason: 'crashed' } }]);
  });

  it('loses no job to the maintenance of pg-boss, however old or often retried', async () => {
    const one = await nodeWithJob();
    await stopClock(database);
    for (let attempts = 0; attempts < 5; attempts += 1) {
      await one.queue.retry(await leaseOne(one), 'crashed');
      await passTime('1 minute');
    }
    const held = await leaseOne(one);
    await add(one, 'b');
    await passTime('20 years');
    const supervisor = await openSupervisor(pool());
    await supervisor.supervise();
    const states = await database.run('select singleton_key, state from pgboss.job order by 1');
    assert.deepEqual(
      states,
      [
        { singleton_key: 'a', state: 'retry' },
        { singleton_key: 'b', state: 'created' },
      ],
      'the lease without heartbeats is lost',
    );
    await supervisor.stop({ close: false });
    await passTime('1 minute');
    const jobs = await lease(one);
    assert.deepEqual(
      jobs.map(({ key, attempt }) => [key, attempt]),
      [
        ['a', 7],
        ['b', 1],
      ],
    );
    assert.equal(await one.queue.complete(held), false);
  });

  it('counts no attempt for a lease whose connection broke before the commit', async () => {
    const one = await nodeWithJob();
    const { transact } = BossDatabase.prototype;
    const broken = mock.method(
      BossDatabase.prototype,
      'transact',
      function (this: BossDatabase, work: Parameters<typeof transact>[0]) {
        return transact.call(this, async (db) => {
          await work(db);
          throw new Error('no commit today');
        });
      },
    );
    await assert.rejects(lease(one), /no commit today/);
    broken.mock.restore();
    assert.equal((await leaseSoon(one)).attempt, 1);
  });

  it('releases a job in one transaction', async () => {
    const one = await nodeWithJob();
    const job = await leaseOne(one);
    const update = mock.method(PgBoss.prototype, 'update', () => {
      throw new Error('no update today');
    });
    await assert.rejects(one.queue.release(job), /no update today/);
    update.mock.restore();
    assert.equal(await one.queue.heartbeat(job), true, 'the lease still holds');
    assert.equal(await one.queue.release(job), true);
    assert.equal((await leaseOne(one)).attempt, 1);
  });

  it('holds no lock that another node waits for until its lease is committed', async () => {
    const [slow, other] = [await nodeWithJob(), await node()];
    const { transact } = BossDatabase.prototype;
    const { promise: worked, resolve: hasWorked } = Promise.withResolvers<void>();
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
    // The first lease stops before its commit.
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
    const leasing = lease(slow);
    await worked;
    stopped.mock.restore();
    await add(other, 'b');
    // Other tests share the server.
    const waiting = `select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    let isDone = false;
    const leased = lease(other).finally(() => {
      isDone = true;
    });
    let wasBlocked = false;
    while (!isDone && !wasBlocked) {
      await pause(20);
      wasBlocked = (await database.run(waiting)).length > 0;
    }
    resume();
    await leasing;
    assert.equal(wasBlocked, false);
    assert.deepEqual(
      (await leased).map(({ key }) => key),
      ['b'],
    );
  });

  it('leases a job although the virtual time cannot be advanced', async () => {
    const warnings: unknown[] = [];
    const log = { ...silent, warn: (...args: unknown[]) => void warnings.push(args) };
    const runner = { write: () => Promise.reject(new Error('no write today')) };
    const one = await nodeWithJob({ log, runner });
    assert.equal((await leaseOne(one)).key, 'a');
    assert.equal(warnings.length, 1);
  });

  it('returns a lease in time for its first heartbeat although its write of the virtual time hangs', async () => {
    const { promise: hanging, resolve } = Promise.withResolvers<never>();
    closers.push(async () => resolve(undefined as never));
    const one = await nodeWithJob({ runner: { write: () => hanging } });
    const leased = await Promise.race([lease(one), pause(5000, [])]);
    assert.deepEqual(
      leased.map(({ key }) => key),
      ['a'],
    );
  });

  it('continues after the server ended its connections', async () => {
    const one = await nodeWithJob();
    await database.run(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    assert.equal((await leaseSoon(one)).key, 'a');
  });

  it('logs maintenance that fails, and continues', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    closers.push(() => Promise.resolve(mock.timers.reset()));
    const { promise: logged, resolve } = Promise.withResolvers<unknown>();
    const one = await node({ log: { ...silent, error: resolve } });
    await database.run('alter table pgboss.queue rename to gone');
    mock.timers.tick(60_000);
    assert.match(String(((await logged) as { err: Error }).err.message), /pgboss.queue/);
    await database.run('alter table pgboss.gone rename to queue');
    assert.deepEqual(await lease(one), []);
  });

  it('does not open without a database', async () => {
    const nowhere = openPool('postgres://rapsheet@127.0.0.1:1/nothing');
    closers.push(() => nowhere.end());
    await assert.rejects(node({ pool: nowhere }), /ECONNREFUSED/);
  });

  it('keeps no timer when it is stopped', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const own = openPool(database.url);
    const boss = await openBoss({ pool: own, log: silent });
    assert.ok(timers() > before);
    await boss.stop();
    await own.end();
    // A timer of before may have ended since.
    assert.ok(timers() <= before);
  });

  it('cancels a statement that does not end', async () => {
    const own = pool(1);
    const busy = new BossDatabase(own);
    const sleeping = assert.rejects(busy.executeSql('select pg_sleep(60)'));
    // Other tests share the server.
    const asleep = `select 1 from pg_stat_activity
      where wait_event = 'PgSleep' and datname = current_database()`;
    while ((await database.run(asleep)).length === 0);
    busy.cancel();
    await sleeping;
    assert.deepEqual((await busy.executeSql('select 1 as one')).rows, [{ one: 1 }]);
  });

  it('limits the time of statements, except those of the maintenance', async () => {
    const own = new BossDatabase(pool(1), 300);
    const slow = 'select pg_sleep(1)';
    await assert.rejects(
      own.transact((db) => db.executeSql(slow)),
      /Query read timeout/,
    );
    await assert.rejects(own.timed.executeSql(slow), /Query read timeout/);
    assert.equal((await own.executeSql(slow)).rows.length, 1);
  });

  it('reuses no connection with a transaction that failed', async () => {
    const own = new BossDatabase(pool(1));
    await assert.rejects(own.executeSql('begin; select 1 / 0; commit'));
    await assert.rejects(own.transact((db) => db.executeSql('select 1 / 0')));
    assert.deepEqual((await own.executeSql('select 1 as one')).rows, [{ one: 1 }]);
  });
});
