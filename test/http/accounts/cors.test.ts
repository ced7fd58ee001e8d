import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createBody } from '../../builders.ts';
import { openRig } from '../http-rig.ts';
import { newLink, signedIn } from './browser.ts';

const ORIGIN = 'https://tools.example';
const rig = await openRig({ corsOrigins: [ORIGIN, 'http://127.0.0.1:3000'] });
const closed = await openRig();
after(() => Promise.all([rig.close(), closed.close()]));

const HASH = 'a'.repeat(64);
const LOOKUP = `/private/sample/${HASH}`;
const PREFLIGHT = {
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization',
};

type Headers = Readonly<Record<string, string | undefined>>;

function corsOf(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
  );
}

function listOf(headers: Headers, name: string): readonly string[] {
  return (headers[name] ?? '').toLowerCase().split(', ');
}

describe('a page of an allowed origin', () => {
  it('may read every response, errors included', async () => {
    const { token } = await rig.reader();
    const service = await rig.service();
    for (const origin of [ORIGIN, 'http://127.0.0.1:3000'])
      for (const [url, status] of [
        [LOOKUP, 404],
        ['/api/me', 200],
        [`/feed/${service}/reports`, 200],
        ['/admin/accounts', 403],
        ['/nothing', 404],
        ['/openapi.json', 200],
      ] as const) {
        const answer = await rig.ask('GET', url, { token, headers: { origin } });
        assert.equal(answer.status, status);
        assert.equal(answer.headers['access-control-allow-origin'], origin, url);
        assert.match(answer.headers['vary'] ?? '', /^Origin/);
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      }
    const bad = await rig.ask('GET', '/api/me', { token: 'rap_x', headers: { origin: ORIGIN } });
    assert.equal(bad.headers['access-control-allow-origin'], ORIGIN);
  });

  it('may read every documented header except the cookie', async () => {
    const { token } = await rig.reader();
    const { headers } = await rig.ask('GET', LOOKUP, { token, headers: { origin: ORIGIN } });
    const exposed = listOf(headers, 'access-control-expose-headers');
    for (const name of [
      'x-request-id',
      'x-error-code',
      'ratelimit',
      'retry-after',
      'link',
      'location',
      'etag',
      'idempotent-replayed',
    ])
      assert.ok(exposed.includes(name), name);
    assert.ok(!exposed.includes('set-cookie'));
  });

  it('gets its preflight answered for every method and header of the API', async () => {
    const headers = { ...PREFLIGHT, origin: ORIGIN };
    const operations = Object.values(rig.app.swagger().paths ?? {}).flatMap((path) =>
      Object.entries(path as Record<string, { parameters?: { in: string; name: string }[] }>),
    );
    const answer = await rig.ask('OPTIONS', LOOKUP, { headers });
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal(answer.headers['access-control-allow-origin'], ORIGIN);
    assert.equal(answer.headers['access-control-max-age'], '600');
    assert.equal(answer.headers['vary'], 'Origin');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    const methods = listOf(answer.headers, 'access-control-allow-methods');
    const names = listOf(answer.headers, 'access-control-allow-headers');
    for (const [method, { parameters = [] }] of operations) {
      assert.ok(methods.includes(method), method);
      for (const { in: kind, name } of parameters)
        if (kind === 'header') assert.ok(names.includes(name.toLowerCase()), name);
    }
    for (const name of ['authorization', 'content-type', 'if-none-match'])
      assert.ok(names.includes(name), name);
    assert.ok(!names.includes('x-rapsheet-request'), 'it proves a page of this server');
    assert.equal((await rig.ask('OPTIONS', '/feed/x/api', { headers })).status, 204);
  });

  it('never acts with the session of the browser', async () => {
    const account = await rig.reader();
    const { cookie = '' } = await signedIn(rig, account.token);
    const link = await newLink(rig, account.id);
    const headers = { cookie, origin: ORIGIN, 'x-rapsheet-request': '1' };
    for (const [method, url, body] of [
      ['GET', '/session'],
      ['GET', LOOKUP],
      ['GET', '/feed/all/stream'],
      ['POST', '/api/tokens', {}],
      ['POST', '/session', { link }],
      ['DELETE', '/session'],
    ] as const)
      assert.equal((await rig.ask(method, url, { headers, body })).code, 'cross_origin', url);
  });

  it('sends an OPTIONS that is no preflight in vain', async () => {
    const answer = await rig.ask('OPTIONS', LOOKUP, { headers: { origin: ORIGIN } });
    assert.equal(answer.status, 405);
  });
});

describe('a page of another origin', () => {
  for (const origin of [
    'https://evil.example',
    'https://tools.example.evil.example',
    'https://sub.tools.example',
    'http://tools.example',
    'https://tools.example:8443',
    'https://TOOLS.example',
    'null',
    '',
  ])
    it(`is not allowed: ${JSON.stringify(origin)}`, async () => {
      const { token } = await rig.reader();
      for (const [method, headers] of [
        ['GET', { origin }],
        ['OPTIONS', { origin, ...PREFLIGHT }],
      ] as const) {
        const answer = await rig.ask(method, LOOKUP, { token, headers });
        assert.deepEqual(corsOf(answer.headers), {});
        assert.equal(answer.headers['vary'], 'Origin');
        if (method === 'OPTIONS') assert.equal(answer.status, 405);
      }
    });
});

describe('without the setting', () => {
  it('no response has a header for other origins', async () => {
    for (const [method, headers] of [
      ['GET', { origin: ORIGIN }],
      ['OPTIONS', { origin: ORIGIN, ...PREFLIGHT }],
    ] as const) {
      const answer = await closed.ask(method, '/api/me', { token: closed.admin, headers });
      assert.deepEqual(corsOf(answer.headers), {});
      assert.equal(answer.headers['vary'], undefined);
    }
  });
});

describe('over a real connection', () => {
  it('responses that bypass the framework have the headers too', async (test) => {
    const url = await rig.app.listen({ port: 0, host: '127.0.0.1' });
    test.after(() => rig.app.server.closeAllConnections());
    const { token } = await rig.researcher();
    const service = await rig.service();
    const id = await rig.report(service, token);
    const created = await fetch(`${url}/feed/${service}/api`, {
      method: 'POST',
      headers: { authorization: token, origin: ORIGIN, 'content-type': 'application/json' },
      body: JSON.stringify(createBody()),
    });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(created.headers.get('access-control-expose-headers') ?? '', /Location/);
    for (const path of [
      LOOKUP,
      `/feed/${service}/api?report=${id}`,
      `/feed/${service}/stream`,
      '/',
    ]) {
      const abort = new AbortController();
      const { headers } = await fetch(`${url}${path}`, {
        headers: { authorization: token, origin: ORIGIN },
        signal: abort.signal,
      });
      assert.equal(headers.get('access-control-allow-origin'), ORIGIN, path);
      assert.match(headers.get('vary') ?? '', /^Origin/);
      abort.abort();
    }
  });
});
