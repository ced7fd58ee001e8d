import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sqliteQueue } from '../../src/queue/sqlite.ts';
import { openSqliteRunner } from '../../src/storage/sqlite/open.ts';
import { addJob, type NewJob, removeJob } from '../../src/storage/tables/jobs/jobs.ts';
import { openMemoryStoreAndQueue } from '../empty-store.ts';
import { testForms } from '../storage/contracts/store-contract.ts';
import { type QueueRig, queueContract } from './contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rapsheet-queue-'));
after(() => rmSync(folder, { recursive: true }));

const jobOf = (key: string, at: Date): NewJob => ({ kind: 'analyse', key, accountId: 'a1', at });

async function open(name = 'contract'): Promise<QueueRig> {
  const file = join(folder, `${name}.db`);
  const [one, other] = [openSqliteRunner(file), openSqliteRunner(file)];
  const keys = new Set<string>();
  let time = new Date();
  const now = () => time;
  return {
    queues: [sqliteQueue(one, now), sqliteQueue(other, now)],
    async setTime(at) {
      time = at;
    },
    async add(key, at) {
      keys.add(key);
      await one.write(() => addJob(jobOf(key, at)));
    },
    async addAndRollBack(key, at) {
      const failing = one.write(function* () {
        yield* addJob(jobOf(key, at));
        throw new Error('rolled back');
      });
      await assert.rejects(failing, /rolled back/);
    },
    // A lease ends lost leases itself.
    supervise: () => Promise.resolve(),
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
    const { store, queue } = openMemoryStoreAndQueue(testForms);
    assert.equal(await queue.countPending('analyse'), 0);
    await store.close();
    await assert.rejects(queue.countPending('analyse'));
  });

  it('ignores a lease from the future after the clock was set back', async () => {
    const rig = await open('set-back');
    const [queue] = rig.queues;
    const keysAt = async (time: string) => {
      await rig.setTime(new Date(`2026-08-26T${time}Z`));
      return (await queue.lease('analyse', 10)).map(({ key }) => key);
    };
    await rig.add('a', new Date('2026-08-26T10:00:00Z'));
    assert.deepEqual(await keysAt('11:00:00'), ['a']);
    assert.deepEqual(await keysAt('10:00:00'), ['a']);
    assert.deepEqual(await keysAt('10:00:01'), [], 'the new lease is not from the future');
    await rig.close();
  });
});
