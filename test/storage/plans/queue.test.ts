import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type pg from 'pg';
import { bossStatements } from '../../../src/queue/boss-statements.ts';
import { openBossQueue } from '../../../src/queue/pg-boss.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { newDatabase, type TestDatabase } from '../../postgres.ts';
import { type Plan, rowsRead, shapeOf } from './postgres-plan.ts';

const JOBS = 4000;
/** The statements ask for twenty, or change one. */
const MOST_ROWS = 500;
const ASKED = 20;
const DAY_MS = 86_400_000;
const JOB = '00000000-0000-0000-0000-000000001000';

/** With what each of our statements on the tables of pg-boss is run. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  takeBack: ['analyse', DAY_MS, ASKED],
  moveClock: ['analyse', 1],
  lease: ['analyse', [JOB], 1000],
  extend: ['analyse', JOB, 0, 1000],
  postpone: ['analyse', JOB, 0, 1000, null, 0],
  remove: ['analyse', 'job-1000'],
  count: ['analyse', ASKED],
  backlog: ['analyse', ASKED],
};

/** All but the last twenty wait; those are worked on. */
const FILL = `
  insert into pgboss.job (id, name, state, singleton_key, policy, group_id, heartbeat_on, heartbeat_seconds)
  select lpad(i::text, 32, '0')::uuid, 'analyse',
    (case when i > ${JOBS - ASKED} then 'active' else 'created' end)::pgboss.job_state,
    'job-' || i, 'exclusive', 'analyse', now(), 10
  from generate_series(1, ${JOBS}) as numbers(i)`;

describe('our statements on the queue of pg-boss', () => {
  let database: TestDatabase;
  let pools: Awaited<ReturnType<typeof openPostgres>>['pools'];

  before(async () => {
    database = await newDatabase();
    ({ pools } = await openPostgres(database.url, 10));
    const log = { error: () => undefined, warn: () => undefined };
    const { stop } = await openBossQueue({ pool: pools.jobs, now: () => new Date(), log });
    await stop();
    await database.run(FILL);
  });
  after(async () => {
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
});

async function readAll(client: pg.PoolClient): Promise<void> {
  for (const [name, text] of Object.entries(bossStatements('pgboss'))) {
    const values = VALUES[name] ?? assert.fail(`say in VALUES with what "${name}" is run`);
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, buffers, format json) ${text}`,
      [...values],
    );
    await client.query('rollback');
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? assert.fail();
    const read = rowsRead(plan);
    assert.ok(read <= MOST_ROWS, `${name}: ${read} rows: ${shapeOf(plan)}`);
  }
}
