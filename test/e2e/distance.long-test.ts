import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAtDistance } from './cluster/distance.ts';
import { idleCluster } from './cluster/idle.ts';
import { canRun, serverPrograms } from './cluster/own-postgres.ts';

/** Short runs; `npm run torture` makes longer ones. */
const skip =
  (serverPrograms === undefined || !canRun) &&
  'needs the programs of PostgreSQL, and a user other than root to run them';
const programs = serverPrograms ?? '';

describe('three nodes on PostgreSQL', { skip }, () => {
  it('share a feed 50 ms away, and each answers within 2 s', async () => {
    const plan = { roundTripMs: 50, createsPerSecond: 60, forMs: 6000, maxP99Ms: 2000 };
    const { broken } = await createAtDistance({ ...plan, programs });
    assert.deepEqual(broken, []);
  });

  it('share a feed 200 ms away, and none starves', async () => {
    const plan = { roundTripMs: 200, createsPerSecond: 60, forMs: 6000, maxP99Ms: 8000 };
    const { broken, nodes } = await createAtDistance({ ...plan, programs });
    assert.deepEqual(broken, []);
    assert.deepEqual(
      nodes.map(({ refused }) => refused),
      [0, 0, 0],
    );
  });

  it('send less than five statements a second while nobody calls them', async () => {
    const { broken, frequent } = await idleCluster({
      programs,
      forMs: 20_000,
      maxStatementsPerSecond: 5,
    });
    assert.deepEqual(broken, [], frequent.join('\n'));
  });
});
