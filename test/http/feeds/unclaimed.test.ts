import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig, type WireExtended } from '../http-rig.ts';

const rig = await openRig({ exports: {} });
after(() => rig.close());

const researcher = await rig.researcher();
const desk = await rig.account({ roles: ['notices'] });

const create = (c2Address: string, token = researcher.token) =>
  rig.report('unclaimed', token, { c2Address });
const actioned = { status: 'actioned', reason: 'taken_down' };
const fetchPath = (id: string) => `/feed/unclaimed/api?report=${id}`;

async function routed(c2: string) {
  const { json } = await rig.ask('GET', `/api/route?c2=${encodeURIComponent(c2)}`, {
    token: researcher.token,
  });
  return [json['service'], json['feed'], json['pattern']];
}

describe('the feed of addresses that no service has declared', () => {
  it('exists in a new installation, and declares nothing', async () => {
    const { json } = await rig.ask('GET', '/api/services', { token: researcher.token });
    const services = json['services'] as readonly Record<string, unknown>[];
    const found = services.find(({ slug }) => slug === 'unclaimed');
    assert.deepEqual(
      [found?.['name'], found?.['hosts'], found?.['networks']],
      ['Unclaimed', [], []],
    );
  });

  it('is read like any other', async () => {
    const id = await create('read.example:443');
    const ask = (path: string) => rig.ask('GET', path, { token: researcher.token });
    const { json } = await ask('/feed/unclaimed/reports?c2=read.example:443');
    const [report] = json['reports'] as readonly WireExtended[];
    assert.deepEqual([report?.id, report?.routedTo, report?.misrouted], [id, null, false]);
    assert.match((await ask('/feed/unclaimed/changes?since=0')).text, new RegExp(id));
    assert.match((await ask('/feed/unclaimed/export/ndjson')).text, /"read\.example:443"/);
    assert.match((await ask('/taxii2/feeds/collections/')).text, /"alias":"unclaimed"/);
    assert.equal((await ask('/api/statistics/services/unclaimed')).status, 200);
  });

  it('is named by the route of an address, unless nobody can act on the address', async () => {
    const slug = await rig.service({ hosts: ['*.routed.example'] });
    const pattern = '*.routed.example';
    assert.deepEqual(await routed('a.routed.example:80'), [slug, slug, pattern]);
    assert.deepEqual(await routed('nobody.example:80'), [null, 'unclaimed', null]);
    assert.deepEqual(await routed('8.8.8.8'), [null, 'unclaimed', null]);
    for (const c2 of ['10.1.2.3:80', 'localhost:80', '[::1]:80', 'co.uk:443'])
      assert.deepEqual(await routed(c2), [null, null, null], c2);
  });

  it('has a misrouted report of an address that a service has declared', async () => {
    const id = await create('later.claimed.example:1');
    const slug = await rig.service({ hosts: ['*.claimed.example'] });
    const shown = async (report: string) => {
      const path = `/feed/unclaimed/reports/${report}`;
      const { json } = await rig.ask('GET', path, { token: researcher.token });
      const { misrouted, routedTo } = json['report'] as WireExtended;
      return [misrouted, routedTo];
    };
    while ((await rig.deps.store.feeds.reevaluateOld(rig.clock.now(), 100)) > 0);
    assert.deepEqual(await shown(id), [true, slug]);
    assert.deepEqual(await shown(await create('now.claimed.example:1')), [true, slug]);
  });
});

describe('the desk of that feed', () => {
  it('is of administrators and of accounts with the role notices', async () => {
    for (const token of [rig.admin, desk.token]) {
      const answered = await create('desk.example:1');
      assert.equal((await rig.answer('unclaimed', answered, token, actioned)).status, 200);
      const deleted = await rig.ask('DELETE', fetchPath(answered), { token });
      assert.equal(deleted.status, 200, deleted.text);
    }
  });

  it('is of nobody else: not of researchers, nor of owners of other feeds', async () => {
    const id = await create('guarded.example:1');
    const owner = await rig.owner(await rig.service());
    for (const { token } of [owner, await rig.researcher()]) {
      const { status, headers } = await rig.answer('unclaimed', id, token, actioned);
      assert.deepEqual([status, headers['x-error-code']], [403, 'not_owner']);
      const bulk = { filter: { status: 'open' }, ...actioned };
      const changed = await rig.ask('PATCH', '/feed/unclaimed/reports', { token, body: bulk });
      assert.equal(changed.status, 403);
      const deleted = await rig.ask('DELETE', fetchPath(id), { token });
      assert.equal(deleted.headers['x-error-code'], 'not_creator_or_owner');
      const body = { url: 'https://hooks.example/' };
      const hook = await rig.ask('POST', '/feed/unclaimed/webhooks', { token, body });
      assert.equal(hook.status, 403);
    }
    const own = await rig.ask('DELETE', fetchPath(id), { token: researcher.token });
    assert.equal(own.status, 200);
  });

  it('begins and ends with the role, at once', async () => {
    const account = await rig.account({ roles: ['researcher'] });
    const id = await create('turns.example:1');
    const set = (body: unknown) =>
      rig.ask('PATCH', `/admin/accounts/${account.id}`, { token: rig.admin, body });
    const servicesOf = ({ json }: Awaited<ReturnType<typeof set>>) =>
      (json['account'] as { services: readonly string[] }).services;
    const may = async () =>
      (await rig.answer('unclaimed', id, account.token, { status: 'acknowledged' })).status;
    assert.equal(await may(), 403);
    assert.deepEqual(servicesOf(await set({ roles: ['notices'] })), ['unclaimed']);
    assert.equal(await may(), 200);
    assert.deepEqual(servicesOf(await set({ services: [] })), ['unclaimed']);
    assert.equal(await may(), 200);
    assert.deepEqual(servicesOf(await set({ roles: [] })), []);
    assert.equal(await may(), 403);
  });

  it('cannot be given to an account without the role', async () => {
    const account = await rig.researcher();
    const body = { services: ['unclaimed'] };
    const rule = /services must not name unclaimed: accounts with the role admin or notices own/;
    const path = `/admin/accounts/${account.id}`;
    const changed = await rig.ask('PATCH', path, { token: rig.admin, body });
    assert.equal(changed.status, 400);
    assert.match(changed.text, rule);
    const added = await rig.ask('POST', '/admin/accounts', {
      token: rig.admin,
      body: { name: 'unclaimed-by-name', ...body },
    });
    assert.equal(added.status, 400);
    assert.match(added.text, rule);
  });
});

describe('the service of that feed', () => {
  it('cannot be added, in any spelling', async () => {
    const spellings = [
      'unclaimed',
      'Unclaimed',
      'UNCLAIMED',
      ' unclaimed',
      'unclaimed ',
      'unclaimed\u200b',
    ];
    for (const slug of spellings) {
      const answer = await rig.ask('POST', '/admin/services', { token: rig.admin, body: { slug } });
      assert.equal(answer.status, 400, JSON.stringify(slug));
      assert.match(answer.text, /neither .*all.* nor .*unclaimed/);
    }
  });

  it('cannot be claimed: it keeps its name, and declares nothing', async () => {
    const change = (body: unknown) =>
      rig.ask('PATCH', '/admin/services/unclaimed', { token: rig.admin, body });
    for (const body of [
      { name: 'Mine' },
      { hosts: ['mine.example'] },
      { networks: ['8.8.8.0/24'] },
    ]) {
      const { status, headers } = await change(body);
      assert.deepEqual([status, headers['x-error-code']], [409, 'service_built_in']);
    }
    assert.equal((await change({ expireAfterDays: 30 })).status, 200);
    const check = await rig.ask('POST', '/feed/unclaimed/ownership/check', {
      token: rig.admin,
      body: { pattern: 'mine.example', method: 'dns' },
    });
    assert.equal(check.headers['x-error-code'], 'unknown_pattern');
    assert.deepEqual(await routed('mine.example:1'), [null, 'unclaimed', null]);
  });
});
