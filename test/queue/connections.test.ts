import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openPostgresDatabase } from '../../src/queue/postgres.ts';
import { newDatabase } from '../postgres.ts';
import { testForms } from '../storage/contracts/store-contract.ts';

const database = await newDatabase();
const { store, queue, connections } = await openPostgresDatabase({
  url: database.url,
  poolSize: 10,
  serializers: testForms,
  now: () => new Date(),
  log: { error: () => undefined, warn: () => undefined },
});
after(async () => {
  await store.close();
  await database.drop();
});

const countsOf = (name: string) => connections().find(({ pool }) => pool === name);

describe('the count of connections', () => {
  it('has all pools, and what each may have', () => {
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

  it('tells those in use and those who wait for one, while they do', async () => {
    const asking = Array.from({ length: 30 }, () => queue.depth('analyse'));
    await turn();
    const { inUse = 0, waiting = 0 } = countsOf('jobs') ?? {};
    assert.equal(inUse, 3);
    assert.ok(waiting > 10);
    await Promise.all(asking);
    assert.equal(countsOf('jobs')?.waiting, 0);
    assert.equal(countsOf('reads')?.inUse, 0);
  });
});
