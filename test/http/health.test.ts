import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig } from './harness.ts';

let draining = false;
let broken = false;
const rig = await openRig({
  isDraining: () => draining,
  between: (store) => ({
    ...store,
    check: () => (broken ? Promise.reject(new Error('disk on fire')) : store.check()),
  }),
});
after(() => rig.close());

describe('/livez', () => {
  it('tells that the process runs, to anybody', async () => {
    const answer = await rig.ask('GET', '/livez');
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { status: 'live' });
  });

  it('tells it even while the server stops and the store fails', async (test) => {
    draining = true;
    broken = true;
    test.after(() => {
      draining = false;
      broken = false;
    });
    assert.equal((await rig.ask('GET', '/livez')).status, 200);
  });
});

for (const url of ['/readyz', '/healthz']) {
  describe(url, () => {
    it('tells that it can serve, to anybody, and nothing else', async () => {
      const answer = await rig.ask('GET', url);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.json, { status: 'ready' });
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['server'], undefined);
      assert.equal(answer.headers['x-powered-by'], undefined);
    });

    it('answers 503 and when to ask again while the server stops', async (test) => {
      draining = true;
      test.after(() => {
        draining = false;
      });
      const answer = await rig.ask('GET', url);
      assert.equal(answer.status, 503);
      assert.equal(answer.code, 'unavailable');
      assert.match(answer.headers['retry-after'] ?? '', /^[1-9][0-9]*$/);
    });

    it('answers 503 while the store does not answer, and tells nothing of why', async (test) => {
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
