import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type pg from 'pg';
import { addBossJob, type Boss, openBoss, removeBossJob } from '../../../src/queue/boss.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { newDatabase, type TestDatabase } from '../../postgres.ts';
import { type Plan, rowsRead, shapeOf } from './postgres-plan.ts';

const JOBS = 4000;
/** The calls fetch twenty jobs, or change one. */
const MAX_ROWS = 500;
const FETCHED = 20;
const PENDING = '00000000-0000-0000-0000-000000001000';
const ACTIVE = '00000000-0000-0000-0000-000000003999';
const NEW_JOB = { kind: 'analyse', key: 'new', accountId: 'a1', startTag: 1 } as const;

/** All jobs are pending but the last twenty, which are leased. */
const FILL = `
  insert into pgboss.job
    (id, name, state, singleton_key, policy, group_id, priority, heartbeat_on, heartbeat_seconds)
  select lpad(i::text, 32, '0')::uuid, 'analyse',
    (case when i > ${JOBS - FETCHED} then 'active' else 'created' end)::pgboss.job_state,
    'job-' || i, 'exclusive', 'a' || i % 100, -i, now(), 10
  from generate_series(1, ${JOBS}) as numbers(i)`;

interface Explained {
  readonly text: string;
  readonly plan: Plan;
}

/** Explains each statement instead of running it. */
class ExplainingDb {
  readonly explained: Explained[] = [];
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async executeSql(text: string, values: unknown[] = []): Promise<{ rows: object[] }> {
    await this.#client.query('begin');
    const { rows } = await this.#client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    await this.#client.query('rollback');
    this.explained.push({ text, plan: rows[0]?.['QUERY PLAN'][0].Plan ?? assert.fail() });
    return { rows: [{}] };
  }
}

/** The calls of pg-boss that add, lease and settle jobs. */
async function callAll(started: Boss, db: ExplainingDb): Promise<void> {
  const { boss } = started;
  const attempt = { id: ACTIVE, retryCount: 0 };
  await addBossJob(started, db, NEW_JOB);
  await removeBossJob(started, db, { ...NEW_JOB, key: 'job-1000' });
  await boss.fetch('analyse', { batchSize: FETCHED, includeMetadata: true, db });
  await boss.touch('analyse', attempt, { db });
  await boss.deleteJob('analyse', attempt, { db });
  await boss.fail('analyse', attempt, { reason: 'crashed' }, { db });
  await boss.cancel('analyse', attempt, { db });
  await boss.resume('analyse', PENDING, { db });
  await boss.update('analyse', { released: 1 }, { id: PENDING, startAfter: 10, db });
}

describe('the calls of pg-boss for every job', () => {
  let database: TestDatabase;
  let pools: Awaited<ReturnType<typeof openPostgres>>['pools'];
  let boss: Boss;

  before(async () => {
    database = await newDatabase();
    ({ pools } = await openPostgres(database.url, 10));
    const log = { error: () => undefined, warn: () => undefined };
    boss = await openBoss({ pool: pools.jobs, log });
    await database.run(FILL);
  });
  after(async () => {
    await boss.stop();
    await pools.end();
    await database.drop();
  });

  it('read a bounded number of jobs, with statistics or without', async () => {
    const client = await pools.jobs.connect();
    try {
      await readAll(client);
      await client.query('analyze');
      await readAll(client);
    } finally {
      client.release(true);
    }
  });

  async function readAll(client: pg.PoolClient): Promise<void> {
    const db = new ExplainingDb(client);
    await callAll(boss, db);
    assert.equal(db.explained.length, 9);
    for (const { text, plan } of db.explained) {
      const read = rowsRead(plan);
      assert.ok(read <= MAX_ROWS, `${read} rows: ${shapeOf(plan)}: ${text}`);
    }
  }
});
