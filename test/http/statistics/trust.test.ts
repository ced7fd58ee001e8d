import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ReporterStatistics, ServiceStatistics } from '../../../src/client/wire.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const { token } = await rig.reader({ limit: 0, period: 'none' });

async function reporterOf(name: string): Promise<ReporterStatistics> {
  const path = `/api/statistics/reporters/${encodeURIComponent(name)}`;
  const { status, json } = await rig.ask('GET', path, { token });
  assert.equal(status, 200);
  return json as unknown as ReporterStatistics;
}

async function scorecardOf(service: string, query = ''): Promise<ServiceStatistics> {
  const { status, json } = await rig.ask('GET', `/api/statistics/services/${service}${query}`, {
    token,
  });
  assert.equal(status, 200);
  return json as unknown as ServiceStatistics;
}

/** Sets the status of a report as the owner of its feed. */
async function setter(service: string) {
  const owner = await rig.owner(service);
  return async (id: string, status: string, reason?: string) => {
    const answer = await rig.ask('PATCH', `/feed/${service}/reports/${id}`, {
      token: owner.token,
      body: { status, ...(reason !== undefined && { reason }) },
    });
    assert.equal(answer.status, 200);
  };
}

describe('the statistics of a reporter', () => {
  it('follow the answers of the desks, in total and by feed', async () => {
    const services = [await rig.service(), await rig.service()];
    const [one = '', other = ''] = services;
    const researcher = await rig.researcher();
    const set = await setter(one);
    const ids: string[] = [];
    for (let made = 0; made < 6; made += 1)
      ids.push(await rig.report(one, researcher.token, { c2Address: `c${made}.example:1` }));
    await rig.report(other, researcher.token);
    for (const id of ids.slice(0, 3)) await set(id, 'actioned', 'taken_down');
    await set(ids[3] ?? '', 'rejected', 'duplicate');
    await set(ids[4] ?? '', 'rejected');
    // The reason changes, not the status.
    await set(ids[4] ?? '', 'rejected', 'false_positive');
    const shown = await reporterOf(researcher.name);
    const none = { not_ours: 0, false_positive: 0, duplicate: 0, insufficient_evidence: 0 };
    assert.deepEqual(shown.totals, {
      reports: 7,
      confirmed: 0,
      contradicted: 0,
      unknown: 7,
      open: 2,
      acknowledged: 0,
      actioned: 3,
      rejected: { ...none, duplicate: 1, false_positive: 1, unspecified: 0 },
      expired: 0,
    });
    const { lower, upper, ...precision } = shown.precision ?? assert.fail('no precision');
    assert.deepEqual(precision, { right: 3, wrong: 1, value: 0.75 });
    assert.deepEqual([lower.toFixed(3), upper.toFixed(3)], ['0.301', '0.954']);
    assert.deepEqual(
      shown.services.map(({ service, totals, precision: of }) => [service, totals.reports, of]),
      [
        [one, 6, shown.precision],
        [other, 1, null],
      ],
    );
    assert.equal(shown.complete, true);
  });

  it('say nothing of the precision while nothing is judged', async () => {
    const researcher = await rig.researcher();
    const shown = await reporterOf(researcher.name);
    assert.deepEqual([shown.totals.reports, shown.precision, shown.services], [0, null, []]);
  });

  it('keep the judgement of a deleted report, whoever deletes it', async () => {
    const service = await rig.service();
    const researcher = await rig.researcher();
    const owner = await rig.owner(service);
    const set = await setter(service);
    const judged = async (status: string, reason?: string) => {
      const id = await rig.report(service, researcher.token);
      await set(id, status, reason);
      return id;
    };
    await rig.remove(service, await judged('rejected', 'false_positive'), researcher.token);
    await rig.remove(service, await judged('actioned'), owner.token);
    const purged = await judged('rejected', 'not_ours');
    await rig.ask('DELETE', `/admin/reports/${purged}?reason=x`, { token: rig.admin });
    for (const status of ['open', 'acknowledged'])
      await rig.remove(service, await judged(status), researcher.token);
    await rig.remove(service, await judged('rejected', 'duplicate'), researcher.token);
    const { totals, precision, services } = await reporterOf(researcher.name);
    assert.deepEqual([totals.reports, precision?.right, precision?.wrong], [0, 1, 2]);
    assert.deepEqual(
      services.map((one) => [one.service, one.totals.reports, one.precision]),
      [[service, 0, precision]],
    );
  });

  it('do not count what a reporter judges, or the desk of a feed that the reporter owns', async () => {
    const service = await rig.service();
    const own = await rig.account({ roles: ['researcher'], services: [service] });
    const set = await setter(service);
    const ids = [
      await rig.report(service, own.token),
      await rig.report(service, own.token),
      await rig.report(service, own.token),
    ];
    const [mine = '', theirs = '', wrong = ''] = ids;
    const path = `/feed/${service}/reports/${mine}`;
    const body = { status: 'actioned' };
    assert.equal((await rig.ask('PATCH', path, { token: own.token, body })).status, 200);
    await set(theirs, 'actioned');
    await set(wrong, 'rejected', 'false_positive');
    const shown = await reporterOf(own.name);
    assert.deepEqual([shown.totals.actioned, shown.precision], [2, null]);
    await rig.remove(service, mine, own.token);
    assert.equal((await reporterOf(own.name)).precision, null);
    const { timeToAct, timeToAcknowledge } = await scorecardOf(service);
    assert.deepEqual([timeToAct.count, timeToAcknowledge.count], [0, 0]);
  });

  it('keep what another desk said when the reporter owns the feed later', async () => {
    const service = await rig.service();
    const researcher = await rig.researcher();
    const set = await setter(service);
    const id = await rig.report(service, researcher.token);
    await set(id, 'rejected', 'false_positive');
    const account = `/admin/accounts/${researcher.id}`;
    const body = { services: [service] };
    assert.equal((await rig.ask('PATCH', account, { token: rig.admin, body })).status, 200);
    for (const status of ['actioned', 'open'])
      await rig.ask('PATCH', `/feed/${service}/reports/${id}`, {
        token: researcher.token,
        body: { status },
      });
    const wrong = async () => (await reporterOf(researcher.name)).precision?.wrong;
    assert.equal(await wrong(), 1);
    await rig.remove(service, id, researcher.token);
    assert.equal(await wrong(), 1);
  });

  it('are refused without a token and for a name that no reporter has', async () => {
    const researcher = await rig.researcher();
    const path = `/api/statistics/reporters/${encodeURIComponent(researcher.name)}`;
    assert.equal((await rig.ask('GET', path)).code, 'token_missing');
    const refused = await rig.ask('GET', '/api/statistics/reporters/nobody', { token });
    assert.deepEqual([refused.status, refused.code], [404, 'unknown_reporter']);
    assert.match(String(refused.json['error']), /no reporter with this name/);
  });

  it('do not tell which accounts exist that never report', async () => {
    const reader = await rig.reader({ limit: 0, period: 'none' });
    const path = `/api/statistics/reporters/${encodeURIComponent(reader.name)}`;
    assert.equal((await rig.ask('GET', path, { token })).code, 'unknown_reporter');
    assert.equal((await rig.ask('GET', path, { token: reader.token })).status, 200);
  });
});

describe('the scorecard of a service', () => {
  it('has the backlog, the times and what came back', async () => {
    const service = await rig.service();
    const researcher = await rig.researcher();
    const set = await setter(service);
    const report = { c2Address: 'back.example:1' };
    const first = await rig.report(service, researcher.token, report);
    await set(first, 'acknowledged');
    await set(first, 'actioned');
    await rig.report(service, researcher.token, report);
    const third = await rig.report(service, researcher.token);
    await set(third, 'acknowledged');
    const shown = await scorecardOf(service);
    assert.deepEqual(shown.backlog, { open: 1, acknowledged: 1 });
    assert.deepEqual(shown.reports, { total: 3, confirmed: 0, contradicted: 0, unknown: 3 });
    assert.equal(shown.misrouted, 0);
    const { buckets, ...acknowledged } = shown.timeToAcknowledge;
    assert.deepEqual(acknowledged, { median: 450, p90: 810, count: 2 });
    assert.deepEqual(buckets[0], { upToSeconds: 900, reports: 2 });
    assert.deepEqual([shown.timeToAct.median, shown.timeToAct.count], [450, 1]);
    assert.equal(shown.recurrences.total, 1);
    assert.equal(shown.recurrences.days.length, 90);
    assert.deepEqual(shown.recurrences.days.at(-1), { day: shown.asOf.slice(0, 10), count: 1 });
    assert.equal(shown.complete, true);
  });

  it('has no times without an answer, and as many days as asked for', async () => {
    const shown = await scorecardOf(await rig.service(), '?days=2');
    assert.equal(shown.recurrences.days.length, 2);
    const { median, p90, count } = shown.timeToAct;
    assert.deepEqual([median, p90, count], [null, null, 0]);
  });

  it('is refused without a token, for an unknown service and for other days', async () => {
    const service = await rig.service();
    assert.equal(
      (await rig.ask('GET', `/api/statistics/services/${service}`)).code,
      'token_missing',
    );
    const unknown = await rig.ask('GET', '/api/statistics/services/nobody', { token });
    assert.deepEqual([unknown.status, unknown.code], [404, 'unknown_service']);
    const { status, json } = await rig.ask('GET', `/api/statistics/services/${service}?days=91`, {
      token,
    });
    assert.equal(status, 400);
    assert.match(String(json['error']), /days must be an integer from 1 to 90/);
  });
});
