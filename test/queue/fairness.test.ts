import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { QUEUE_POLICIES } from '../../src/ports/queue.ts';
import { sqliteQueue } from '../../src/queue/sqlite.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { openSqliteDatabase } from '../../src/server/open-sqlite-database.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { addJob } from '../../src/storage/tables/jobs/jobs.ts';
import { openMemoryDatabase, openMemoryStoreAndQueue } from '../empty-store.ts';
import { newStoreDatabase, type TestDatabase } from '../postgres.ts';
import { NOW, testForms } from '../storage/contracts/store-contract.ts';
import { fairnessContract } from './fairness-contract.ts';

const RETRY_DELAY_MS = QUEUE_POLICIES.analyse.retryDelaySeconds * 1000;
const log = { error: () => undefined, warn: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'rapsheet-fairness-'));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});

fairnessContract('sqlite', async () => {
  let delayMs = 0;
  const now = () => new Date(NOW.getTime() + delayMs);
  const clock = { now, machineOffsetMs: () => undefined };
  const { store, queue } = openMemoryStoreAndQueue(testForms, clock);
  const passRetryDelay = async () => {
    delayMs += 2 * RETRY_DELAY_MS;
  };
  return { store, queue, now, passRetryDelay, close: () => store.close() };
});

fairnessContract('postgres', async () => {
  const database = await newStoreDatabase();
  databases.push(database);
  const { url } = database;
  const opened = await openPostgresDatabase({ url, poolSize: 10, serializers: testForms, log });
  // pg-boss adds a random delay of up to the same length.
  const passRetryDelay = () => pause(2 * RETRY_DELAY_MS);
  return { ...opened, now: () => new Date(), passRetryDelay, close: () => opened.store.close() };
});

describe('the query plan of a lease', () => {
  it('follows an index on SQLite, and sorts nothing', async () => {
    const db = openMemoryDatabase();
    const asked: string[] = [];
    const prepare = db.prepare.bind(db);
    db.prepare = (sql) => {
      asked.push(sql);
      return prepare(sql);
    };
    const runner = new SqliteRunner(db);
    await runner.write(() => addJob({ kind: 'analyse', key: 'a', accountId: 'a1', at: NOW }));
    await sqliteQueue(runner, () => NOW).lease('analyse', 2);
    const plans = asked
      .filter((sql) => /^(?:select|update|delete|insert)/.test(sql))
      .map((sql) => prepare(`explain query plan ${sql}`).all().map(Object.values).join('; '));
    assert.match(plans.join('\n'), /SEARCH pending USING (?:COVERING )?INDEX job_order/);
    assert.doesNotMatch(plans.join('\n'), /SCAN (?:job|pending|job_turn)\b|TEMP B-TREE/);
    await runner.close();
  });
});

describe('jobs that were queued before fair queueing', () => {
  it('are served alternately on SQLite, each once', async () => {
    const file = join(folder, 'old.db');
    const old = new DatabaseSync(file);
    old.exec('create table migration (name text primary key, applied_at text not null) strict');
    for (const { name, sql } of readMigrations('sqlite').filter(({ name }) => name < '0015')) {
      old.exec(sql);
      old.prepare('insert into migration values (?, ?)').run(name, NOW.toISOString());
    }
    const at = NOW.toISOString();
    const addAccount = old.prepare(
      "insert into account (id, name, roles, quota_period, created_at) values (?, ?, '[]', 'day', ?)",
    );
    const addSample = old.prepare(
      `insert into sample (sha256, blake3, sha512, md5, sha1, size_bytes, file_name, uploaded_by, uploaded_at, state)
        values (?, x'', x'', x'', x'', 7, 'a', ?, ?, 'queued')`,
    );
    const addOldJob = old.prepare(
      "insert into job (kind, key, due_at, created_at) values ('analyse', ?, ?, ?)",
    );
    for (const id of ['a', 'b']) addAccount.run(id, id, at);
    const keys = ['aa', 'ab', 'ac', 'ba', 'bb'].map((key) => key.padEnd(64, '0'));
    for (const key of keys) {
      addSample.run(Buffer.from(key, 'hex'), key.charAt(0), at);
      addOldJob.run(key, at, at);
    }
    old.close();
    const { store, queue } = openSqliteDatabase(file, testForms, {
      now: () => NOW,
      machineOffsetMs: () => undefined,
    });
    const order: string[] = [];
    for (let times = 0; times < 6; times += 1)
      for (const { key } of await queue.lease('analyse', 1)) order.push(key.slice(0, 2));
    assert.deepEqual(order, ['aa', 'ba', 'ab', 'bb', 'ac']);
    assert.equal(await store.samples.storedBytes('a'), 21);
    assert.equal(await store.samples.storedBytes('b'), 14);
    await store.close();
  });

  it('come first on PostgreSQL, each once', async (test) => {
    const database = await newStoreDatabase();
    databases.push(database);
    const { url, run } = database;
    const opened = await openPostgresDatabase({ url, poolSize: 4, serializers: testForms, log });
    test.after(() => opened.store.close());
    await run(
      `insert into pgboss.job (name, singleton_key, group_id, policy, heartbeat_seconds)
        select 'analyse', 'old ' || n, 'analyse', 'exclusive', 10 from generate_series(1, 2) as n`,
    );
    await run(
      `insert into pgboss.job (name, singleton_key, group_id, priority, policy, heartbeat_seconds)
        values ('analyse', 'new', 'a1', -1, 'exclusive', 10)`,
    );
    const jobs = await opened.queue.lease('analyse', 9);
    assert.deepEqual(jobs.map(({ key }) => key).slice(-1), ['new']);
    assert.equal(jobs.length, 3);
    for (const job of jobs) assert.equal(await opened.queue.complete(job), true);
  });
});
