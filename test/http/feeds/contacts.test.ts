import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseProvider } from '../../../src/domain/directory/provider.ts';
import { formatUtc } from '../../../src/http/responses/present.ts';
import { openRig } from '../http-rig.ts';

const fact = (value: string, date = '2026-01-31') => ({
  value,
  source: 'https://provider.example/',
  date,
});
const providers = [
  {
    name: 'Tunnel Inc.',
    kind: 'tunnel',
    suffixes: [fact('tunnel.example')],
    networks: [fact('203.0.113.0/24'), fact('2001:db8:5::/48')],
    mail: fact('abuse@tunnel.example', '2025-12-24'),
    form: fact('https://tunnel.example/abuse'),
  },
  { name: 'Tunnel EU', kind: 'tunnel', suffixes: [fact('eu.tunnel.example')] },
].map((json) => {
  const parsed = parseProvider(json);
  return parsed.kind === 'provider' ? parsed.provider : assert.fail(parsed.problems.join());
});

const isFound = { current: true };
const rig = await openRig({
  providers,
  prover: { check: async () => (isFound.current ? undefined : 'no_record') },
});
after(() => rig.close());
const { token } = await rig.reader({ limit: 0, period: 'none' });
const contactsOf = async (c2: string) => {
  const { status, json } = await rig.ask('GET', `/api/route?c2=${encodeURIComponent(c2)}`, {
    token,
  });
  assert.equal(status, 200);
  return json['contacts'];
};

const TUNNEL = {
  source: 'directory',
  name: 'Tunnel Inc.',
  mail: 'abuse@tunnel.example',
  form: 'https://tunnel.example/abuse',
  checkedAt: '2025-12-24T00:00:00Z',
};
const EU = {
  source: 'directory',
  name: 'Tunnel EU',
  suffix: 'eu.tunnel.example',
  checkedAt: '2026-01-31T00:00:00Z',
};

describe('who answers for an address', () => {
  it('is the provider with the longest suffix or network, if no service does', async () => {
    const named = { ...TUNNEL, suffix: 'tunnel.example' };
    assert.deepEqual(await contactsOf('tunnel.example:1'), [named]);
    assert.deepEqual(await contactsOf('a.b[.]Tunnel[.]example'), [named]);
    assert.deepEqual(await contactsOf('a.eu.tunnel.example:1'), [EU]);
    const ranges = { '203.0.113.7:1': '203.0.113.0/24', '2001:db8:5::7': '2001:db8:5::/48' };
    for (const [c2, range] of Object.entries(ranges))
      assert.deepEqual(await contactsOf(c2), [{ ...TUNNEL, range }]);
    assert.deepEqual(await contactsOf('nottunnel.example:1'), []);
    assert.deepEqual(await contactsOf('198.51.100.7'), []);
  });

  it('is the service first, then the provider', async () => {
    const slug = await rig.service({ hosts: ['*.a.eu.tunnel.example', '203.0.113.77'] });
    const { createdAt, name } =
      (await rig.deps.store.services.list()).find((one) => one.slug === slug) ??
      assert.fail('no service');
    const service = { source: 'service', name, checkedAt: formatUtc(createdAt) };
    assert.deepEqual(await contactsOf('x.a.eu.tunnel.example:1'), [
      { ...service, suffix: 'a.eu.tunnel.example' },
      EU,
    ]);
    assert.deepEqual(await contactsOf('203.0.113.77:1'), [
      { ...service, range: '203.0.113.77/32' },
      { ...TUNNEL, range: '203.0.113.0/24' },
    ]);
  });

  it('was checked when the service last proved that it owns the host', async () => {
    const pattern = '*.proven.example';
    const slug = await rig.service({ hosts: [pattern] });
    const check = async () => {
      rig.clock.advance(60_000);
      const answer = await rig.ask('POST', `/feed/${slug}/ownership/check`, {
        token: rig.admin,
        body: { pattern, method: 'dns' },
      });
      assert.equal(answer.status, 200, answer.text);
      return rig.clock.now();
    };
    const checkedAt = async () =>
      ((await contactsOf('a.proven.example:1')) as { checkedAt: string }[])[0]?.checkedAt;
    const first = await check();
    assert.equal(await checkedAt(), formatUtc(first));
    const second = await check();
    assert.equal(await checkedAt(), formatUtc(second));
    isFound.current = false;
    await check();
    assert.equal(await checkedAt(), formatUtc(first));
  });
});
