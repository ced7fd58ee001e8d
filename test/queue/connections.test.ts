import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { newStoreDatabase } from '../postgres.ts';
import { testForms } from '../storage/contracts/store-contract.ts';

const database = await newStoreDatabase();
const { store, queue, connections } = await openPostgresDatabase({
  url: database.url,
  poolSize: 10,
  serializers: testForms,
  log: { error: () => undefined, warn: () => undefined },
});
after(async () => {
  await store.close();
  await database.drop();
});

const countsOf = (name: string) => connections().find(({ pool }) => pool === name);

describe('the count of connections', () => {
  it('lists all pools with their limits', () => {
    assert.deepEqual(
      connections().map(({ pool, limit }) => [pool, limit]),
      [
        ['gathered', 4],
        ['reads', 3],
        ['writes', 3],
        ['jobs', 3],
      ],
    );
  });

  it('shows connections in use, and callers that wait for one', async () => {
    const leasing = Array.from({ length: 30 }, () => queue.lease('analyse', 1));
    await turn();
    const { inUse = 0, waiting = 0 } = countsOf('jobs') ?? {};
    assert.equal(inUse, 3);
    assert.ok(waiting > 10);
    await Promise.all(leasing);
    assert.equal(countsOf('jobs')?.waiting, 0);
    assert.equal(countsOf('reads')?.inUse, 0);
  });
});
