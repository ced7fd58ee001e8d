import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { FeedStatistics } from '../../../src/client/wire.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();
const { token } = await rig.reader({ limit: 0, period: 'none' });

async function statistics(path: string): Promise<FeedStatistics> {
  const { status, json } = await rig.ask('GET', path, { token });
  assert.equal(status, 200);
  return json as unknown as FeedStatistics;
}

describe('the statistics of a feed', () => {
  it('have every day, for any live account, without quota', async () => {
    const service = await rig.service();
    const shown = await statistics(`/feed/${service}/statistics`);
    assert.deepEqual(Object.keys(shown), [
      'service',
      'asOf',
      'days',
      'statuses',
      'families',
      'timeToAct',
      'complete',
    ]);
    assert.equal(shown.complete, true);
    assert.equal(shown.service, service);
    assert.equal(shown.days.length, 30);
    assert.equal(shown.days.at(-1)?.day, shown.asOf.slice(0, 10));
    assert.deepEqual(shown.timeToAct.medianSeconds, null);
    assert.deepEqual(
      shown.timeToAct.buckets.map(({ upToSeconds }) => upToSeconds),
      [
        900,
        1800,
        3600,
        7200,
        14_400,
        28_800,
        86_400,
        172_800,
        345_600,
        691_200,
        1_296_000,
        2_592_000,
        null,
      ],
    );
  });

  it('follow reports, answers and deletions, in the feed and in all feeds', async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const before = await statistics('/feed/all/statistics?days=1');
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1)
      ids.push(await rig.report(service, researcher.token, { tags: ['counted'] }));
    const [first = '', second = ''] = ids;
    const path = `/feed/${service}/reports/${first}`;
    await rig.ask('PATCH', path, { token: owner.token, body: { status: 'actioned' } });
    const shown = await statistics(`/feed/${service}/statistics?days=1`);
    const [{ day, ...counts } = { day: '' }] = shown.days;
    assert.ok(day !== '');
    assert.deepEqual(counts, { reported: 3, actioned: 1, rejected: 0, expired: 0 });
    assert.deepEqual(shown.statuses, {
      open: 2,
      acknowledged: 0,
      actioned: 1,
      rejected: 0,
      expired: 0,
    });
    assert.deepEqual(shown.families, [{ name: 'counted', reports: 3 }]);
    assert.equal(shown.timeToAct.acted, 1);
    assert.deepEqual(shown.timeToAct.buckets[0], { upToSeconds: 900, reports: 1 });
    const all = await statistics('/feed/all/statistics?days=1');
    assert.equal(all.service, 'all');
    assert.equal(all.statuses.open, before.statuses.open + 2);
    for (const id of [first, second])
      await rig.ask('DELETE', `/feed/${service}/api?report=${id}`, { token: researcher.token });
    const left = await statistics(`/feed/${service}/statistics?days=1`);
    assert.deepEqual(left.families, [{ name: 'counted', reports: 1 }]);
    assert.deepEqual([left.days[0]?.reported, left.days[0]?.actioned], [1, 0]);
    assert.deepEqual([left.statuses.open, left.statuses.actioned, left.timeToAct.acted], [1, 0, 0]);
  });

  it('are refused without a token, for an unknown feed and for other days', async () => {
    const service = await rig.service();
    assert.equal((await rig.ask('GET', `/feed/${service}/statistics`)).code, 'token_missing');
    assert.equal((await rig.ask('GET', '/feed/nobody/statistics', { token })).status, 404);
    for (const days of ['0', '91', 'x', '1.5', '']) {
      const url = `/feed/all/statistics?days=${days}`;
      const { status, json } = await rig.ask('GET', url, { token });
      assert.equal(status, 400);
      assert.match(String(json['error']), /days must be an integer from 1 to 90/);
    }
  });
});
