import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Workplace } from '../workplace.ts';
import { followAtRandom } from './followers/model.ts';

it('tells every reader of every change, whatever breaks', async () => {
  const workplace = new Workplace();
  const plan = { seed: 20_261_115, writers: 4, actsOfEach: 60, kills: 2 };
  const { broken, changes, reports } = await followAtRandom(workplace, plan);
  assert.deepEqual(broken, []);
  assert.ok(changes > 200 && reports > 0, `${changes} changes, ${reports} reports`);
  await workplace.close();
});
