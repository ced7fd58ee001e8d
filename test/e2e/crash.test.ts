import assert from 'node:assert/strict';
import { it } from 'node:test';
import { crashDuringCreates } from './crash.ts';
import { startServer } from './server-setup.ts';

it('loses and duplicates no report when it is killed during 1,000 creates', async () => {
  const { installation, server, admin } = await startServer();
  await admin.addService({ slug: 'ply' });
  const { token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] });
  await server.end('SIGTERM');
  const result = await crashDuringCreates(installation, token, 'ply', {
    creates: 1000,
    kills: 3,
    connections: 32,
  });
  assert.deepEqual(result.broken, []);
  assert.equal(result.acknowledged + result.cutOff, 1000);
  assert.equal(result.kills, 3);
  assert.ok(result.cutOff > 0, 'the kills interrupted requests');
  await installation.close();
});
