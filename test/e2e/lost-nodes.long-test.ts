import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killSenders } from './cluster/killed-senders.ts';
import { type LostNodePlan, loseNode } from './cluster/lost-nodes.ts';
import { canRun, serverPrograms } from './cluster/own-postgres.ts';

const skip =
  (!canRun && 'PostgreSQL does not run as root, and the user postgres does not exist') ||
  (serverPrograms === undefined && 'embedded PostgreSQL does not support this platform');
const programs = serverPrograms ?? '';

describe('a cluster that loses a node', { skip }, () => {
  const plans: readonly Omit<LostNodePlan, 'programs'>[] = [
    { loss: 'frozen', row: 'feed' },
    { loss: 'frozen', row: 'account' },
    { loss: 'cut off', row: 'feed' },
  ];
  for (const plan of plans)
    it(`refuses no call when the node is ${plan.loss} while it locks the row of the ${plan.row}`, async () => {
      const { broken } = await loseNode({ ...plan, programs });
      assert.deepEqual(broken, []);
    });

  it('retries the deliveries of a killed node, and marks none delivered that did not arrive', async () => {
    const { broken, delivered } = await killSenders({ programs, kills: 2, endpoints: 4 });
    assert.deepEqual(broken, []);
    assert.ok(delivered > 0, 'webhooks were delivered');
  });
});
