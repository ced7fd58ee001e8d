import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killSenders } from './cluster/killed-senders.ts';
import { type LostNodePlan, loseNode } from './cluster/lost-nodes.ts';
import { canRun, serverPrograms } from './cluster/own-postgres.ts';

const skip =
  (!canRun && 'PostgreSQL does not run as root, and there is no user postgres') ||
  (serverPrograms === undefined && 'PostgreSQL is not there for this platform');
const programs = serverPrograms ?? '';

describe('a cluster that loses a node', { skip }, () => {
  const plans: readonly Omit<LostNodePlan, 'programs'>[] = [
    { loss: 'frozen', row: 'feed' },
    { loss: 'frozen', row: 'account' },
    { loss: 'cut off', row: 'feed' },
  ];
  for (const plan of plans)
    it(`refuses nobody when it is ${plan.loss} with the row of the ${plan.row}`, async () => {
      const { broken } = await loseNode({ ...plan, programs });
      assert.deepEqual(broken, []);
    });

  it('sends the webhooks that a killed node had in hand, and marks none that did not arrive', async () => {
    const { broken, delivered } = await killSenders({ programs, kills: 2, endpoints: 4 });
    assert.deepEqual(broken, []);
    assert.ok(delivered > 0, 'there was something to send');
  });
});
