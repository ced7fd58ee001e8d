import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SqliteRunner } from '../../src/storage/sqlite/runner.ts';
import { createStore } from '../../src/storage/stores/store.ts';
import { openMemoryDatabase } from '../empty-store.ts';
import { audit, newAccount, newToken, testForms } from './contracts/store-contract.ts';

it('the write check fails after a failed write until a write succeeds, and writes nothing before', async () => {
  const db = openMemoryDatabase();
  const store = createStore(new SqliteRunner(db), testForms);
  const changes = () => db.prepare('select total_changes() as count').get()?.['count'];
  const write = () => store.accounts.add(newAccount(), newToken(), audit);
  const before = changes();
  await store.checkWrite();
  assert.equal(changes(), before);

  db.exec('pragma query_only = on');
  await store.checkWrite();
  await assert.rejects(write(), { code: 'unavailable' });
  await assert.rejects(store.checkWrite(), { code: 'unavailable' });
  await assert.rejects(store.checkWrite(), { code: 'unavailable' });

  db.exec('pragma query_only = off');
  await store.checkWrite();
  const recovered = changes();
  await store.checkWrite();
  assert.equal(changes(), recovered);
  await write();
  await store.close();
});
