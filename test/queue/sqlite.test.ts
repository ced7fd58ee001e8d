import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openSqliteDatabase, sqliteQueue } from '../../src/queue/sqlite.ts';
import { addJob, type NewJob, removeJob } from '../../src/storage/sql/jobs.ts';
import { openSqliteRunner } from '../../src/storage/sqlite/open.ts';
import { testForms } from '../storage/contracts/store-contract.ts';
import { type QueueBench, queueContract } from './contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-queue-'));
after(() => rmSync(folder, { recursive: true }));

const jobOf = (key: string, at: Date): NewJob => ({ kind: 'analyse', key, accountId: 'a1', at });

async function open(): Promise<QueueBench> {
  const file = join(folder, 'contract.db');
  const [one, other] = [openSqliteRunner(file), openSqliteRunner(file)];
  const keys = new Set<string>();
  return {
    queues: [sqliteQueue(one), sqliteQueue(other)],
    // Each claim says what time it is.
    setTime: () => Promise.resolve(),
    async add(key, at) {
      keys.add(key);
      await one.write(() => addJob(jobOf(key, at)));
    },
    async addInVain(key, at) {
      const failing = one.write(function* () {
        yield* addJob(jobOf(key, at));
        throw new Error('in vain');
      });
      await assert.rejects(failing, /in vain/);
    },
    remove: (key) => one.write(() => removeJob('analyse', key, new Date())),
    async clear() {
      for (const key of keys) await one.write(() => removeJob('analyse', key, new Date(0)));
      keys.clear();
    },
    async close() {
      await Promise.all([one.close(), other.close()]);
    },
  };
}

queueContract('sqlite', open);

describe('sqlite queue', () => {
  it('is in the same database as the store, and closed with it', async () => {
    const { store, queue } = openSqliteDatabase(':memory:', testForms);
    assert.equal(await queue.depth('analyse'), 0);
    await store.close();
    await assert.rejects(queue.depth('analyse'));
  });
});
