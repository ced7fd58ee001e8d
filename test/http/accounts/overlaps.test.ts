import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig, ownRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const token = rig.admin;

describe('a public suffix', () => {
  const refused = {
    '*.com':
      /hosts must not have \*\.com: com is a public suffix, under which anyone can register names\. Declare the names of the service, such as \*\.example\.com\./,
    'co.uk': /hosts must not have co\.uk: .* such as \*\.example\.co\.uk\./,
  };

  it('is refused when a service is added or changed, by name', async () => {
    const slug = await rig.service({ hosts: ['*.ply.example'] });
    for (const [host, error] of Object.entries(refused)) {
      const body = { hosts: ['ply.example', host] };
      const added = await rig.ask('POST', '/admin/services', {
        token,
        body: { slug: rig.fresh('svc'), ...body },
      });
      const changed = await rig.ask('PATCH', `/admin/services/${slug}`, { token, body });
      for (const answer of [added, changed]) {
        assert.equal(answer.status, 400);
        assert.equal(answer.code, 'invalid_body');
        assert.match(String(answer.json['error']), error);
      }
    }
  });

  it('may be declared if a company lists it, or if no registry knows it', async () => {
    const hosts = ['*.github.io', '*.ngrok-free.app', '*.corp'];
    const slug = await rig.service({ hosts });
    const { json } = await rig.ask('PATCH', `/admin/services/${slug}`, { token, body: { hosts } });
    assert.deepEqual((json['service'] as { hosts: unknown }).hosts, hosts);
  });

  it('of before stays declared, routes nothing and is shown among overlaps', async (test) => {
    const own = await ownRig(test);
    const old = await own.service();
    const audit = { actor: 'test', at: new Date() };
    await own.deps.store.services.change(old, { hosts: ['*.com', 'gate.ply.com'] }, audit);
    const slug = await own.service({ hosts: ['*.ply.com'] });
    const ask = (url: string) => own.ask('GET', url, { token: own.admin });
    assert.equal((await ask('/api/route?c2=a.example.com')).json['service'], null);
    assert.equal((await ask('/api/route?c2=gate.ply.com')).json['service'], old);
    const { json } = await ask('/admin/overlaps');
    assert.deepEqual(json, {
      overlaps: [
        {
          ...{ pattern: '*.ply.com', service: slug, verified: false, publicSuffix: false },
          within: { pattern: '*.com', service: old, verified: false, publicSuffix: true },
        },
        {
          ...{ pattern: 'gate.ply.com', service: old, verified: false, publicSuffix: false },
          within: { pattern: '*.ply.com', service: slug, verified: false, publicSuffix: false },
        },
      ],
      nextCursor: null,
      hasMore: false,
      successful: true,
    });
    const renamed = await own.ask('PATCH', `/admin/services/${old}`, {
      token: own.admin,
      body: { name: 'Old' },
    });
    assert.equal(renamed.status, 200);
  });
});

describe('the overlaps of services', () => {
  it('come in pages, and a page of nothing continues', async (test) => {
    const own = await ownRig(test);
    const names = (service: string) =>
      Array.from({ length: 1000 }, (_, at) => `h${String(at).padStart(4, '0')}.${service}.example`);
    // The overlaps follow after more patterns than a page examines.
    for (const service of ['a', 'b', 'c']) await own.service({ hosts: names(service) });
    const outer = await own.service({ hosts: ['*.ply.example'] });
    const inner = await own.service({ hosts: ['1.ply.example', '2.ply.example', 'ply.example'] });
    const found: string[] = [];
    const counts: number[] = [];
    let url = '/admin/overlaps?limit=1';
    for (;;) {
      const { json } = await own.ask('GET', url, { token: own.admin });
      const overlaps = json['overlaps'] as { pattern: string; within: { service: string } }[];
      counts.push(overlaps.length);
      for (const { pattern, within } of overlaps) {
        assert.equal(within.service, outer);
        found.push(pattern);
      }
      if (json['hasMore'] === false) break;
      url = `/admin/overlaps?limit=1&cursor=${encodeURIComponent(String(json['nextCursor']))}`;
    }
    assert.deepEqual(found, ['1.ply.example', '2.ply.example']);
    assert.deepEqual(counts, [0, 1, 1, 0]);
    assert.ok(inner);
  });

  it('are for administrators, with a cursor of the same list', async () => {
    const reader = await rig.reader();
    const refused = await rig.ask('GET', '/admin/overlaps', { token: reader.token });
    assert.equal(refused.code, 'role_missing');
    const wrong = await rig.ask('GET', '/admin/overlaps?cursor=x', { token });
    assert.equal(wrong.code, 'invalid_cursor');
  });
});
