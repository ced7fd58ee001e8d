import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, describe, it } from 'node:test';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

/** Public resources that cost nothing, and exports, of which pollers read the version. */
const hasHead = (path: string) =>
  path.includes('/export/') || ['/livez', '/readyz', '/healthz'].includes(path);

const paths = Object.entries(rig.app.swagger().paths ?? {}).map(([path, operations]) => ({
  url: path.replace(/\{\w+\}/g, 'x'),
  methods: [
    ...Object.keys(operations ?? {}).map((method) => method.toUpperCase()),
    ...(hasHead(path) ? ['HEAD'] : []),
  ].sort(),
}));
const others = [
  ...[
    '/openapi.json',
    '/docs',
    '/docs/static/reference.css',
    '/',
    '/files/x/y',
    '/admin',
    '/assets/x.js',
  ].map((url) => ({ url, methods: ['GET', 'HEAD'] })),
];

for (const { url, methods } of [...paths, ...others]) {
  describe(`${url}`, () => {
    it(`accepts only ${methods.join(', ')}, and lists them in Allow`, async () => {
      for (const method of METHODS) {
        if (methods.includes(method) || method === 'CONNECT') continue;
        const answer = await rig.ask(method, url, { token: rig.admin });
        assert.equal(answer.status, 405, method);
        assert.equal(answer.code, 'method_not_allowed');
        assert.equal(answer.headers['allow'], methods.join(', '));
      }
    });
  });
}

describe('a method that a route does not support', () => {
  it('is refused before the token is checked', async () => {
    const answer = await rig.ask('PUT', '/admin/accounts', { token: 'rap_bad' });
    assert.equal(answer.status, 405);
  });

  it('is refused before a body is read', async () => {
    const answer = await rig.ask('PUT', '/admin/accounts', {
      headers: { 'content-type': 'application/json' },
      payload: 'x'.repeat(100_000),
    });
    assert.equal(answer.status, 405);
  });

  it('gets 404 for an unknown path', async () => {
    for (const method of ['PUT', 'PROPFIND']) {
      const answer = await rig.ask(method, '/nothing');
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'unknown_route');
    }
  });

  // Methods that no path supports have no routes, so another part of the code finds the path.
  for (const [url, allow] of [
    ['/feed/all/reports', 'GET'],
    ['/feed/%61ll/reports?limit=1', 'GET'],
    ['/feed/one/reports#end', 'GET, PATCH, POST'],
    ['/f%65ed/one/api', 'DELETE, GET, POST'],
    ['/feed//api', 'DELETE, GET, POST'],
    ['/assets/one/two.css', 'GET, HEAD'],
  ] as const) {
    it(`is refused for the path ${url} like one that other paths support`, async () => {
      for (const method of ['PATCH', 'OPTIONS', 'PROPFIND']) {
        if (allow.includes(method)) continue;
        const answer = await rig.ask(method, url);
        assert.equal(answer.status, 405, method);
        assert.equal(answer.headers['allow'], allow);
      }
    });
  }

  it('has routes only if some path supports it, because each takes time at the start', () => {
    const url = '/feed/:service/api';
    assert.ok(rig.app.hasRoute({ method: 'PATCH', url }));
    assert.ok(!rig.app.hasRoute({ method: 'PROPFIND', url }));
  });

  it('does not hide that a parameter is too long', async () => {
    for (const method of ['HEAD', 'PROPFIND']) {
      const answer = await rig.ask(method, `/private/sample/${'a'.repeat(20_000)}`);
      assert.equal(answer.code, 'malformed_request');
    }
  });

  it('is counted by its path', async () => {
    await rig.ask('PROPFIND', '/feed/one/api');
    const text = await rig.deps.metrics.registry.metrics();
    assert.match(text, /_count\{method="PROPFIND",route="\/feed\/:service\/api",status="405"\}/);
  });
});

describe('an unknown path', () => {
  for (const url of [
    '/nothing',
    '/feed',
    '/feed/x',
    '/FEED/x/api',
    '//feed/x/api',
    '/private/sample/x/y',
    '/api/services//',
    '/admin/nothing',
    '/welcome/x',
    '/find/x',
    '/upload/x',
    '/account/x',
    '/files',
    '/c2',
    '/Desk',
    '/assets',
    '/.env',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/metrics',
  ]) {
    it(`${url} answers 404, with or without a token`, async () => {
      for (const token of [undefined, rig.admin]) {
        const answer = await rig.ask('GET', url, { token });
        assert.equal(answer.status, 404);
        assert.equal(answer.code, 'unknown_route');
      }
    });
  }
});
