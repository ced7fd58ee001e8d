import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestInstallation } from '../installation.ts';
import { followAtRandom } from './followers/model.ts';

it('delivers every change to every reader despite interruptions and kills', async () => {
  const installation = new TestInstallation();
  const plan = { seed: 20_261_115, writers: 4, writesEach: 60, kills: 2 };
  const { broken, changes, reports } = await followAtRandom(installation, plan);
  assert.deepEqual(broken, []);
  assert.ok(changes > 200 && reports > 0, `${changes} changes, ${reports} reports`);
  await installation.close();
});
