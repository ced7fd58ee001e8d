import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canRun, serverPrograms } from './cluster/own-postgres.ts';
import { moveUnderServer } from './upgrades/moved-store.ts';
import { nodeStopsServing, olderBesideStore } from './upgrades/node-beside-store.ts';
import { whyNoOlder } from './upgrades/programs.ts';

const skip =
  (!canRun && 'PostgreSQL does not run as root, and the user postgres does not exist') ||
  (serverPrograms === undefined && 'embedded PostgreSQL does not support this platform');
const plan = { programs: serverPrograms ?? '', forMs: 1000 };

describe('a node beside a store that a newer version upgraded', { skip }, () => {
  it('acknowledges nothing more if it is of the last release', { skip: whyNoOlder() }, async () => {
    const { broken } = await olderBesideStore(plan);
    assert.deepEqual(broken, []);
  });

  it('answers 503 and ends if it is of this version', async () => {
    const { broken } = await nodeStopsServing(plan);
    assert.deepEqual(broken, []);
  });

  it('ends with its HTTP workers', async () => {
    const { broken } = await nodeStopsServing(plan, { RAPSHEET_HTTP_WORKERS: '2' });
    assert.deepEqual(broken, []);
  });
});

describe('a store that is moved under a running server', { skip }, () => {
  for (const from of ['sqlite', 'postgres'] as const)
    it(`is refused, and loses nothing when it is moved from ${from} without it`, async () => {
      const { broken } = await moveUnderServer({ ...plan, from });
      assert.deepEqual(broken, []);
    });
});
