import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig, ownRig } from '../http-rig.ts';

let draining = false;
let broken = false;
const isolation = {
  tier: 'sandbox',
  means: ['bubblewrap', 'permission model'],
  lacks: [],
} as const;
const rig = await openRig({
  workers: { capacity: 1, running: 1, busy: 0, restarts: 0, isolation, ruleProblems: [] },
  isDraining: () => draining,
  between: (store) => ({
    ...store,
    check: () => (broken ? Promise.reject(new Error('disk on fire')) : store.check()),
  }),
});
after(() => rig.close());

describe('/livez', () => {
  it('reports that the process runs, without a token', async () => {
    const answer = await rig.ask('GET', '/livez');
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { status: 'live' });
  });

  it('reports it even at shutdown and while the store fails', async (test) => {
    draining = true;
    broken = true;
    test.after(() => {
      draining = false;
      broken = false;
    });
    assert.equal((await rig.ask('GET', '/livez')).status, 200);
  });
});

describe('/readyz of a server without analysis workers', () => {
  it('reports an empty queue and no sandbox to an administrator', async (test) => {
    const own = await ownRig(test);
    const answer = await own.ask('GET', '/readyz', { token: own.admin });
    assert.deepEqual(answer.json['details'], { analysis: { queued: 0, isolation: null } });
  });
});

for (const url of ['/readyz', '/healthz']) {
  describe(url, () => {
    it('reports readiness without a token, and nothing else', async () => {
      const answer = await rig.ask('GET', url);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, { status: 'ready' });
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['server'], undefined);
      assert.equal(answer.headers['x-powered-by'], undefined);
    });

    it('shows an administrator the sandbox and the length of the queue', async () => {
      await rig.uploaded(rig.fresh('bytes'));
      const answer = await rig.ask('GET', url, { token: rig.admin });
      const queued = await rig.countJobs();
      assert.ok(queued > 0);
      assert.deepEqual(answer.json, {
        status: 'ready',
        details: { analysis: { queued, isolation } },
      });
    });

    it('shows neither to other callers, and answers even with a bad token', async () => {
      const { token } = await rig.researcher();
      for (const sent of [token, 'rap_bad', ''])
        assert.deepEqual((await rig.ask('GET', url, { token: sent })).json, { status: 'ready' });
    });

    it('returns 503 with Retry-After while the server stops', async (test) => {
      draining = true;
      test.after(() => {
        draining = false;
      });
      const answer = await rig.ask('GET', url);
      assert.equal(answer.status, 503);
      assert.equal(answer.code, 'unavailable');
      assert.match(answer.headers['retry-after'] ?? '', /^[1-9][0-9]*$/);
    });

    it('returns 503 without the cause while the store does not answer', async (test) => {
      broken = true;
      test.after(() => {
        broken = false;
      });
      const answer = await rig.ask('GET', url);
      assert.equal(answer.status, 503);
      assert.equal(answer.code, 'unavailable');
      assert.doesNotMatch(answer.text, /fire/);
    });
  });
}
