import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Answer } from '../contract.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const token = rig.admin;

function add(body: unknown): Promise<Answer> {
  return rig.ask('POST', '/admin/services', { token, body });
}

function change(slug: string, body: unknown): Promise<Answer> {
  return rig.ask('PATCH', `/admin/services/${slug}`, { token, body });
}

async function list(): Promise<readonly Record<string, unknown>[]> {
  const answer = await rig.ask('GET', '/admin/services', { token });
  assert.deepEqual(Object.keys(answer.json), ['services']);
  return answer.json['services'] as Record<string, unknown>[];
}

async function find(slug: string): Promise<Record<string, unknown> | undefined> {
  return (await list()).find((service) => service['slug'] === slug);
}

describe('adding a service', () => {
  it('needs only its slug', async () => {
    const slug = rig.fresh('svc');
    const answer = await add({ slug });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.json, {
      service: {
        slug,
        name: slug,
        confidenceScale: 100,
        hosts: [],
        verifiedHosts: [],
        networks: [],
        expireAfterDays: 90,
        createdAt: '2026-08-26T10:00:00Z',
        mail: null,
      },
    });
  });

  it('stores the given fields in normalised form', async () => {
    const slug = rig.fresh('svc');
    const { json } = await add({
      slug,
      name: 'Ply Tunnels',
      confidenceScale: 10,
      hosts: ['*.Ply.Example', 'ply.example'],
      networks: ['203.0.113.0/24', '2001:DB8:0::/32'],
      expireAfterDays: 3650,
    });
    assert.deepEqual(json['service'], {
      slug,
      name: 'Ply Tunnels',
      confidenceScale: 10,
      hosts: ['*.ply.example', 'ply.example'],
      verifiedHosts: [],
      networks: ['203.0.113.0/24', '2001:db8::/32'],
      expireAfterDays: 3650,
      createdAt: '2026-08-26T10:00:00Z',
      mail: null,
    });
    assert.deepEqual(await find(slug), json['service']);
  });

  it('opens its feed at once', async () => {
    const slug = rig.fresh('svc');
    const researcher = await rig.researcher();
    assert.equal((await rig.create(slug, researcher.token)).status, 404);
    await add({ slug });
    assert.equal((await rig.create(slug, researcher.token)).status, 201);
  });

  it('accepts slugs of 1 and of 63 characters', async () => {
    assert.equal((await add({ slug: '0' })).status, 201);
    assert.equal((await add({ slug: `a${'-'.repeat(62)}` })).status, 201);
  });

  for (const slug of ['', 'all', '-a', 'A', 'a_b', 'a b', 'a/b', 'a.b', 'é', 'a'.repeat(64), 1]) {
    it(`refuses the slug ${JSON.stringify(slug).slice(0, 20)}`, async () => {
      const answer = await add({ slug });
      assert.equal(answer.status, 400);
      assert.match(String(answer.json['error']), /^slug must be /);
    });
  }

  for (const [what, body, error] of [
    ['an empty name', { name: '' }, /^name must be/],
    ['a name with a line end', { name: 'a\nb' }, /^name must be/],
    ['a name of 129 characters', { name: 'x'.repeat(129) }, /^name must be/],
    ['a scale of 0', { confidenceScale: 0 }, /^confidenceScale must be an integer from 1 to 100/],
    ['a scale of 101', { confidenceScale: 101 }, /^confidenceScale must be/],
    ['half a scale', { confidenceScale: 0.5 }, /^confidenceScale must be/],
    ['a host with a scheme', { hosts: ['http://x.example'] }, /^hosts must be/],
    ['a host with a star inside', { hosts: ['a.*.example'] }, /^hosts must be/],
    ['hosts that are no list', { hosts: 'x.example' }, /^hosts must be/],
    ['a network without a length', { networks: ['203.0.113.0'] }, /^networks must be/],
    ['a network that is too long', { networks: ['203.0.113.0/33'] }, /^networks must be/],
    ['a network with a leading zero', { networks: ['203.0.113.0/08'] }, /^networks must be/],
    [
      'a short address',
      { hosts: ['a.example', '127.1'] },
      /^hosts must not have 127\.1: .*in full/,
    ],
    ['a hexadecimal address', { hosts: ['0x7f000001'] }, /^hosts must not have 0x7f000001/],
    ['names below an address', { hosts: ['*.1.2.3.4'] }, /^hosts must not have/],
    ['an address in a network', { networks: ['1.2.3.4/8'] }, /The network is 1\.0\.0\.0\/8/],
    ['a member it does not know', { host: [] }, /^"host" is not known here/],
  ] as const) {
    it(`refuses ${what}, and adds nothing`, async () => {
      const slug = rig.fresh('svc');
      const answer = await add({ slug, ...body });
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_body');
      assert.match(String(answer.json['error']), error);
      assert.equal(await find(slug), undefined);
    });
  }

  it('refuses an existing slug with 409, and leaves that service unchanged', async () => {
    const slug = await rig.service({ name: 'first' });
    const answer = await add({ slug, name: 'second' });
    assert.equal(answer.status, 409);
    assert.equal(answer.code, 'service_exists');
    assert.equal((await find(slug))?.['name'], 'first');
  });

  it('adds one service for concurrent requests', async () => {
    const slug = rig.fresh('svc');
    const answers = await Promise.all(Array.from({ length: 5 }, () => add({ slug })));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409, 409, 409]);
  });

  it('is written into the audit log', async () => {
    const slug = rig.fresh('svc');
    await add({ slug });
    const entry = (await rig.audit()).find(({ subject }) => subject === slug);
    assert.equal(entry?.['action'], 'service.add');
    assert.equal(entry['actor'], 'admin');
    assert.equal(entry['at'], '2026-08-26T10:00:00Z');
  });
});

describe('listing the services', () => {
  it('is sorted by slug', async () => {
    await rig.service();
    await rig.service();
    const slugs = (await list()).map(({ slug }) => String(slug));
    assert.deepEqual(slugs, [...slugs].sort());
  });
});

describe('changing a service', () => {
  it('changes the fields that are sent and leaves the others', async () => {
    const slug = await rig.service({ name: 'old', hosts: ['ply.example'] });
    const answer = await change(slug, { name: 'new' });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json['service'], await find(slug));
    const { name, hosts, confidenceScale } = (await find(slug)) ?? {};
    assert.deepEqual(
      { name, hosts, confidenceScale },
      {
        name: 'new',
        hosts: ['ply.example'],
        confidenceScale: 100,
      },
    );
  });

  it('changes the scale while the feed is empty', async () => {
    const slug = await rig.service();
    const researcher = await rig.researcher();
    assert.equal((await rig.create(slug, researcher.token, { c2Address: 'x' })).status, 400);
    assert.equal((await change(slug, { confidenceScale: 10 })).status, 200);
    const refused = await rig.create(slug, researcher.token, { confidenceScore: 11 });
    assert.match(String(refused.json['error']), /an integer from 0 to 10\./);
  });

  it('refuses another scale with 409 once the feed has had a report, even a deleted one', async () => {
    const slug = await rig.service();
    const researcher = await rig.researcher();
    const id = await rig.report(slug, researcher.token);
    assert.equal((await change(slug, { confidenceScale: 10 })).status, 409);
    await rig.remove(slug, id, researcher.token);
    const answer = await change(slug, { confidenceScale: 10, name: 'new' });
    assert.equal(answer.status, 409);
    assert.equal(answer.code, 'scale_fixed');
    assert.notEqual((await find(slug))?.['name'], 'new');
  });

  it('accepts the current scale together with other changes', async () => {
    const slug = await rig.service();
    await rig.report(slug, (await rig.researcher()).token);
    assert.equal((await change(slug, { confidenceScale: 100, name: 'new' })).status, 200);
  });

  it('does not change the slug', async () => {
    const answer = await change(await rig.service(), { slug: 'other' });
    assert.equal(answer.status, 400);
    assert.match(String(answer.json['error']), /^"slug" is not known here/);
  });

  it('answers 404 for a service that does not exist', async () => {
    for (const slug of ['nobody', 'all', 'NOBODY', '%00', '..%2f..']) {
      const answer = await change(slug, { name: 'x' });
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_service');
    }
  });

  it('is written into the audit log, with the changed fields', async () => {
    const slug = await rig.service();
    await change(slug, { name: 'new' });
    const entry = (await rig.audit()).find(({ subject }) => subject === slug);
    assert.equal(entry?.['action'], 'service.change');
    assert.deepEqual(entry['detail'], { name: 'new' });
  });
});
