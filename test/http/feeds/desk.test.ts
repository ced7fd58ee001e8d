import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Answer } from '../contract.ts';
import { openRig, ownRig, type WireExamined, type WireExtended } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const researcher = await rig.researcher();

async function feed(count: number) {
  const service = await rig.service();
  const owner = await rig.owner(service);
  const ids: string[] = [];
  for (let port = 1; port <= count; port += 1) {
    const c2Address = `evil.example:${port}`;
    ids.push(await rig.report(service, researcher.token, { c2Address, tags: [`t${port % 2}`] }));
  }
  return { service, owner, ids };
}

function answerAll(service: string, token: string, body: unknown): Promise<Answer> {
  return rig.ask('PATCH', `/feed/${service}/reports`, { token, body });
}

async function shown(service: string, id: string): Promise<WireExtended> {
  const { json } = await rig.ask('GET', `/feed/${service}/reports/${id}`, { token: rig.admin });
  // The answer to a change does not have what confirms the report.
  const { evidence: _, ...report } = json['report'] as WireExamined;
  return report;
}

const reportOf = ({ json }: Answer) => json['report'] as WireExtended;

describe('the desk of a service', () => {
  it('sets the status of a report, and gets the new status', async () => {
    const { service, owner, ids } = await feed(1);
    const body = { status: 'actioned', reason: 'taken_down', note: 'Gone since noon.' };
    const answer = await rig.answer(service, ids[0] ?? '', owner.token, body);
    assert.equal(answer.status, 200);
    const { status, statusReason, statusNote, sequence } = reportOf(answer);
    assert.deepEqual(
      { status, statusReason, statusNote, sequence },
      {
        status: 'actioned',
        statusReason: 'taken_down',
        statusNote: 'Gone since noon.',
        sequence: 2,
      },
    );
    // The reporter sees the author of the change, which not every reader does.
    const { statusBy, ...others } = reportOf(answer);
    assert.equal(statusBy, owner.name);
    const found: WireExtended & { c2Rejected?: boolean } = await shown(service, ids[0] ?? '');
    const { c2Rejected, ...report } = found;
    assert.deepEqual(others, report);
    assert.equal(c2Rejected, false);
  });

  it('may change any status to any other', async () => {
    const { service, owner, ids } = await feed(1);
    const id = ids[0] ?? '';
    for (const body of [
      { status: 'acknowledged', note: 'On it.' },
      { status: 'actioned', reason: 'suspended' },
      { status: 'rejected', reason: 'false_positive' },
      { status: 'open' },
      { status: 'rejected' },
    ]) {
      const { status, statusReason, statusNote } = reportOf(
        await rig.answer(service, id, owner.token, body),
      );
      assert.equal(status, body.status);
      assert.equal(statusReason, 'reason' in body ? body.reason : null);
      assert.equal(statusNote, 'note' in body ? body.note : undefined);
    }
  });

  it('creates one change per new status, and none for the same status again', async () => {
    const { service, owner, ids } = await feed(1);
    const body = { status: 'acknowledged', note: 'On it.' };
    for (let count = 0; count < 3; count += 1)
      await rig.answer(service, ids[0] ?? '', owner.token, body);
    assert.equal((await shown(service, ids[0] ?? '')).sequence, 2);
    const { json } = await rig.ask('GET', `/feed/${service}/changes`, { token: owner.token });
    assert.deepEqual(
      (json['changes'] as { type: string }[]).map(({ type }) => type),
      ['created', 'updated'],
    );
  });

  it('is visible to the reporter', async () => {
    const { service, owner, ids } = await feed(2);
    await rig.answer(service, ids[1] ?? '', owner.token, { status: 'actioned', note: 'Done.' });
    const url = `/feed/all/reports?reporter=${researcher.name}&status=actioned&host=evil.example`;
    const { json } = await rig.ask('GET', url, { token: researcher.token });
    const mine = (json['reports'] as WireExtended[]).filter((report) => report.service === service);
    assert.deepEqual(
      mine.map(({ id, statusNote }) => [id, statusNote]),
      [[ids[1], 'Done.']],
    );
  });

  it('leaves the ten fields of the report unchanged', async () => {
    const { service, owner, ids } = await feed(1);
    const before = await rig.fetched(service, ids[0] ?? '');
    await rig.answer(service, ids[0] ?? '', owner.token, { status: 'actioned' });
    assert.deepEqual(await rig.fetched(service, ids[0] ?? ''), before);
  });

  it('sees that a C2 was reported again after an action', async () => {
    const { service, owner, ids } = await feed(1);
    await rig.answer(service, ids[0] ?? '', owner.token, { status: 'actioned' });
    const again = await rig.report(service, researcher.token, { c2Address: 'evil.example:1' });
    assert.equal((await shown(service, again)).recurrence, true);
    assert.equal((await shown(service, ids[0] ?? '')).recurrence, false);
    assert.equal((await shown(service, ids[0] ?? '')).status, 'actioned');
  });
});

describe('a status change is refused', () => {
  it('first for the token, then for the service, the owner, the id and the body', async () => {
    const { service, ids } = await feed(1);
    const { owner: stranger } = await feed(0);
    const { owner } = await feed(0);
    const ask = async (slug: string, id: string, token: string | undefined, body: unknown) =>
      (await rig.ask('PATCH', `/feed/${slug}/reports/${id}`, { token, body })).code;
    assert.equal(await ask('nobody', 'x', undefined, 1), 'token_missing');
    assert.equal(await ask('nobody', 'x', owner.token, 1), 'unknown_service');
    for (const token of [stranger.token, researcher.token, rig.admin]) {
      assert.equal(await ask(service, 'x', token, 1), 'not_owner');
      assert.equal(await ask(service, ids[0] ?? '', token, { status: 'open' }), 'not_owner');
    }
  });

  it('with 403 for its reporter and for an admin, neither of whom owns the feed', async () => {
    const { service, ids } = await feed(1);
    for (const token of [researcher.token, rig.admin]) {
      const answer = await rig.answer(service, ids[0] ?? '', token, { status: 'actioned' });
      assert.deepEqual([answer.status, answer.code], [403, 'not_owner']);
    }
    assert.equal((await shown(service, ids[0] ?? '')).status, 'open');
  });

  it('with 404 if the feed has no such report', async () => {
    const { service, owner, ids } = await feed(1);
    const { ids: others } = await feed(1);
    await rig.remove(service, ids[0] ?? '', researcher.token);
    for (const id of [ids[0], others[0], '01a03d83-2500-7000-8000-000000000000']) {
      const answer = await rig.answer(service, id ?? '', owner.token, { status: 'open' });
      assert.deepEqual([answer.status, answer.code], [404, 'unknown_report']);
    }
  });

  for (const body of [
    {},
    { status: 'expired' },
    { status: 'closed' },
    { status: 'open', reason: 'taken_down' },
    { status: 'actioned', reason: 'duplicate' },
    { status: 'rejected', reason: 'taken_down' },
    { status: 'open', note: '' },
    { status: 'open', note: 'x'.repeat(1001) },
    { status: 'open', notes: 'x' },
    [],
  ])
    it(`with 400 for ${JSON.stringify(body).slice(0, 50)}`, async () => {
      const { service, owner, ids } = await feed(1);
      const answer = await rig.answer(service, ids[0] ?? '', owner.token, body);
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body']);
      assert.equal((await shown(service, ids[0] ?? '')).sequence, 1);
    });

  it('with 400 for an invalid id', async () => {
    const { service, owner } = await feed(0);
    const answer = await rig.answer(service, 'x', owner.token, { status: 'open' });
    assert.deepEqual([answer.status, answer.code], [400, 'invalid_query']);
  });
});

describe('a status change of many reports', () => {
  it('changes the reports with the ids, each with its own sequence', async () => {
    const { service, owner, ids } = await feed(4);
    const body = { ids: [ids[1], ids[2]?.toUpperCase(), ids[1]], status: 'acknowledged' };
    const answer = await answerAll(service, owner.token, body);
    assert.deepEqual(answer.json, { changed: 2, successful: true });
    const states = await Promise.all(ids.map((id) => shown(service, id)));
    assert.deepEqual(
      states.map(({ status }) => status),
      ['open', 'acknowledged', 'acknowledged', 'open'],
    );
    assert.deepEqual(states.map(({ sequence }) => sequence).toSorted(), [1, 4, 5, 6]);
  });

  it('skips ids of deleted reports, and names them', async () => {
    const { service, owner, ids } = await feed(2);
    const { ids: others } = await feed(1);
    await rig.remove(service, ids[0] ?? '', researcher.token);
    const body = { ids: [ids[0], others[0], ids[1]], status: 'rejected', reason: 'not_ours' };
    const { json } = await answerAll(service, owner.token, body);
    assert.equal(json['changed'], 1);
    assert.deepEqual(new Set(json['absent'] as string[]), new Set([ids[0], others[0]]));
    assert.equal((await shown(service, ids[1] ?? '')).statusReason, 'not_ours');
  });

  for (const [filter, changed] of [
    [{ tag: 't1' }, 3],
    [{ tag: ['t1', 't0'] }, 0],
    [{ c2: 'evil.example:2' }, 1],
    [{ host: 'evil.example', port: 3 }, 1],
    [{ domain: 'example' }, 5],
    [{ domain: 'other.example' }, 0],
    [{ status: 'open' }, 5],
    [{ reporter: researcher.name }, 5],
    [{ min_confidence: 51 }, 0],
    [{ created_after: '2030-01-01T00:00:00Z' }, 0],
  ] as const)
    it(`changes the reports that match ${JSON.stringify(filter)}`, async () => {
      const { service, owner } = await feed(5);
      const body = { filter, status: 'rejected', reason: 'duplicate' };
      const answer = await answerAll(service, owner.token, body);
      assert.deepEqual(answer.json, { changed, successful: true });
      assert.equal((await answerAll(service, owner.token, body)).json['changed'], 0);
    });

  it('changes more than fit into one transaction', { timeout: 180_000 }, async () => {
    const service = await rig.service();
    const owner = await rig.owner(service);
    const lines = Array.from({ length: 1201 }, (_, index) => ({
      c2Address: `evil.example:${index + 1}`,
      file256Hash: 'ab'.repeat(32),
    }));
    await rig.bulk(service, researcher.token, lines);
    const body = { filter: { status: 'open' }, status: 'acknowledged' };
    assert.equal((await answerAll(service, owner.token, body)).json['changed'], 1201);
    const { json } = await rig.ask('GET', `/feed/${service}/changes?since=head`, {
      token: owner.token,
    });
    assert.equal(json['head'], 2402);
  });

  for (const body of [
    { status: 'open' },
    { ids: [], status: 'open' },
    { ids: ['x'], status: 'open' },
    { filter: {}, status: 'open' },
    { filter: { limit: 5 }, status: 'open' },
    { filter: { port: '80' }, status: 'open' },
    { filter: { tag: 'x' }, ids: ['01a03d83-2500-7000-8000-000000000000'], status: 'open' },
    { filter: { tag: 'x' } },
    { filter: { tag: 'x' }, status: 'open', reason: 'blocked' },
  ])
    it(`is refused for ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const { service, owner } = await feed(1);
      const answer = await answerAll(service, owner.token, body);
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body']);
    });

  it('is only for owners of the feed', async () => {
    const { service } = await feed(1);
    const body = { filter: { status: 'open' }, status: 'rejected' };
    for (const token of [researcher.token, rig.admin])
      assert.equal((await answerAll(service, token, body)).code, 'not_owner');
  });
});

describe('a report that expires', () => {
  it('changes its status by age, is listed only on request, and can still be changed', async (test) => {
    const own = await ownRig(test);
    const service = await own.service();
    const patched = await own.ask('PATCH', `/admin/services/${service}`, {
      token: own.admin,
      body: { expireAfterDays: 1 },
    });
    assert.equal((patched.json['service'] as { expireAfterDays: number }).expireAfterDays, 1);
    const { token } = await own.researcher();
    const owner = await own.owner(service);
    const id = await own.report(service, token);
    const ask = async (query: string) => {
      const { json } = await own.ask('GET', `/feed/${service}/reports${query}`, { token });
      return (json['reports'] as WireExtended[]).map((report) => [report.id, report.status]);
    };
    own.clock.advance(86_400_000 + 1000);
    while ((await own.deps.store.feeds.expire(own.clock.now(), 100)) > 0);
    assert.deepEqual(await ask(''), []);
    assert.deepEqual(await ask('?status=expired'), [[id, 'expired']]);
    const answer = await own.answer(service, id, owner.token, { status: 'actioned' });
    assert.equal((answer.json['report'] as WireExtended).status, 'actioned');
    assert.deepEqual(await ask(''), [[id, 'actioned']]);
  });

  for (const days of [0, 3651, 1.5, '90', null])
    it(`does not accept ${JSON.stringify(days)} days`, async () => {
      const service = await rig.service();
      const answer = await rig.ask('PATCH', `/admin/services/${service}`, {
        token: rig.admin,
        body: { expireAfterDays: days },
      });
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_body']);
    });
});
