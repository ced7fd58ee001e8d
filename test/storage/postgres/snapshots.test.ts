import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { openPostgresDatabase } from '../../../src/server/open-postgres-database.ts';
import { postgresSnapshots } from '../../../src/storage/snapshots/postgres-snapshots.ts';
import { newStoreDatabase, type TestDatabase } from '../../postgres.ts';
import { FeedRig } from '../contracts/feed-rig.ts';
import { testForms } from '../contracts/store-contract.ts';

const log = { error: () => undefined, warn: () => undefined };
const STATEMENT_CANCELLED = '57014';

describe('the snapshot of an export on PostgreSQL', () => {
  let database: TestDatabase;
  let service: string;
  let blocker: pg.Client;
  before(async () => {
    database = await newStoreDatabase();
    const { url } = database;
    const { store } = await openPostgresDatabase({ url, poolSize: 4, serializers: testForms, log });
    const rig = await FeedRig.in(store);
    service = await rig.service();
    await rig.create(service);
    await store.close();
    blocker = new pg.Client(url);
    await blocker.connect();
  });
  after(async () => {
    await blocker.end();
    await database.drop();
  });

  it('fails if a statement takes too long, instead of holding its build', async () => {
    const snapshot = await postgresSnapshots(database.url, 200).open(service);
    await blocker.query('begin; lock table report in access exclusive mode');
    try {
      await assert.rejects(snapshot.reports({ order: 'creation', filter: {} }).next(), {
        code: STATEMENT_CANCELLED,
      });
    } finally {
      await blocker.query('rollback');
      await snapshot.close();
    }
  });

  it('reads the same feed within the limit', async () => {
    const snapshot = await postgresSnapshots(database.url).open(service);
    const batches = await Array.fromAsync(snapshot.reports({ order: 'creation', filter: {} }));
    assert.equal(batches.flat().length, 1);
    await snapshot.close();
  });
});
