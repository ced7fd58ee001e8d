import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { newDatabase } from '../postgres.ts';
import {
  audit,
  NOW,
  newAccount,
  newSample,
  newToken,
  testForms,
} from '../storage/contracts/store-contract.ts';

const PROMISED_MS = 60_000;
const database = await newDatabase();
const log = { error: () => undefined, warn: () => undefined };
const open = () =>
  openPostgresDatabase({ url: database.url, poolSize: 4, serializers: testForms, log });
const nodes = await Promise.all([open(), open()]);
after(async () => {
  for (const { store } of nodes) await store.close();
  await database.drop();
});

describe('a worker that died', () => {
  it('loses its job to another node within a minute', async () => {
    const [dying, other] = nodes;
    const account = newAccount();
    await dying.store.accounts.add(account, newToken(), audit);
    const { md5, sha1, sha256, sha512, blake3 } = newSample();
    await dying.store.samples.submit({
      digests: { md5, sha1, sha256, sha512, blake3 },
      sizeBytes: 1,
      fileName: 'a.exe',
      uploadedBy: account.id,
      uploadedAt: NOW,
    });
    const [lost = assert.fail()] = await dying.queue.lease('analyse', 1);
    const diedAt = performance.now();
    let leased = await other.queue.lease('analyse', 1);
    for (; leased.length === 0; leased = await other.queue.lease('analyse', 1)) {
      assert.ok(performance.now() - diedAt < PROMISED_MS, 'it is still not pending');
      await pause(500);
    }
    const [job = assert.fail()] = leased;
    assert.deepEqual([job.key, job.attempt], [sha256, 2]);
    assert.equal(await dying.queue.complete(lost), false);
    assert.equal(await other.queue.complete(job), true);
  });
});
