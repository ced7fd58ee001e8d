import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openRig } from '../http-rig.ts';
import { listen, talk } from '../wire.ts';

const rig = await openRig();
after(() => rig.close());

interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, { operationId?: string; security?: unknown[] }>>;
}

describe('/openapi.json', () => {
  it('is the OpenAPI 3.1 document of this server, without a token', async () => {
    const answer = await rig.ask('GET', '/openapi.json');
    assert.equal(answer.status, 200);
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
    assert.match(String(answer.json['openapi']), /^3\.1\./);
    assert.deepEqual(answer.json, JSON.parse(JSON.stringify(rig.app.swagger())));
  });

  it('has the four operations of the specification', async () => {
    const { paths } = (await rig.ask('GET', '/openapi.json')).json as unknown as OpenApi;
    const feed = Object.keys(paths['/feed/{service}/api'] ?? {}).sort();
    assert.deepEqual(feed, ['delete', 'get', 'post']);
    assert.deepEqual(Object.keys(paths['/private/sample/{hash}'] ?? {}), ['get']);
  });

  it('gives every operation a unique id', async () => {
    const { paths } = (await rig.ask('GET', '/openapi.json')).json as unknown as OpenApi;
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    assert.equal(ids.includes(undefined), false);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('/docs', () => {
  it('is a page that needs no token', async () => {
    for (const url of ['/docs', '/docs/']) {
      const answer = await rig.ask('GET', url);
      assert.equal(answer.status, 200);
      assert.match(answer.headers['content-type'] ?? '', /^text\/html/);
    }
  });

  it('loads nothing from other origins, and may not', async () => {
    const answer = await rig.ask('GET', '/docs');
    assert.doesNotMatch(answer.text, /(?:src|href)="(?:https?:)?\/\//);
    const policy = answer.headers['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /https:|unsafe-eval/);
    assert.match(policy, /script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe-/);
    // No source of the policy is a host.
    for (const source of policy.replaceAll(';', ' ').split(/ +/))
      assert.match(source, /^(?:'[\w+/=-]+'|data:|[a-z-]*)$/);
  });

  it('works without TLS', async () => {
    const { headers } = await rig.ask('GET', '/docs');
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /upgrade-insecure-requests/);
  });

  it('has its assets', async () => {
    const { text } = await rig.ask('GET', '/docs');
    const parts = [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(
      ([, part]) => part ?? '',
    );
    assert.ok(parts.length > 2);
    for (const part of new Set(parts)) assert.equal((await rig.ask('GET', part)).status, 200, part);
  });

  it('needs no inline script or style', async () => {
    const { text } = await rig.ask('GET', '/docs');
    assert.doesNotMatch(text, /<script(?! src=)|<style| style=| on[a-z]+="/);
  });

  it('links to the guides, which are text', async () => {
    const { text } = await rig.ask('GET', '/docs');
    const paths = [...text.matchAll(/href="(\/docs\/guides\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    assert.ok(paths.includes('/docs/guides/researcher.md'), text);
    for (const path of paths) {
      const guide = await rig.ask('GET', path);
      assert.equal(guide.status, 200, path);
      assert.match(guide.headers['content-type'] ?? '', /^text\/plain/);
    }
  });

  it('has every operation under the anchor of earlier versions, and no broken link', async () => {
    const { text } = await rig.ask('GET', '/docs');
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? ''));
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g))
      assert.ok(ids.has(target ?? ''), String(target));
    const { paths } = (await rig.ask('GET', '/openapi.json')).json as unknown as OpenApi;
    for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
      const { tags, operationId } = operation as { tags: string[]; operationId: string };
      assert.ok(ids.has(`/${tags[0]}`) && ids.has(`/${tags[0]}/${operationId}`), operationId);
    }
  });

  it('takes less than 100 kB with all that it loads, compressed', async () => {
    const { text } = await rig.ask('GET', '/docs');
    const loaded = [...text.matchAll(/<(?:script src|link rel="stylesheet" href)="([^"]+)"/g)];
    let total = 0;
    for (const url of ['/docs', ...loaded.map(([, part]) => part ?? '')])
      total += (await fetchBytes(url, { 'accept-encoding': 'gzip' })).bytes.length;
    assert.ok(loaded.length === 3 && total < 100_000, `${total} bytes`);
  });

  for (const url of [
    '/docs/static/nothing.js',
    '/docs/static/../../../package.json',
    '/docs/static/..%2f..%2f..%2fpackage.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/..%5c..%5cpackage.json',
  ]) {
    it(`returns 404 for ${url}`, async () => {
      const answer = await rig.ask('GET', url);
      assert.ok([400, 404].includes(answer.status), answer.text);
    });
  }
});

const PUBLIC_FILES = [
  '/openapi.json',
  '/docs/json',
  '/docs/yaml',
  '/docs',
  '/docs/static/reference.css',
  '/docs/static/reference.js',
];

async function fetchBytes(url: string, headers: Record<string, string>) {
  const response = await rig.app.inject({ method: 'GET', url, headers });
  return { headers: response.headers, bytes: response.rawPayload };
}

for (const url of PUBLIC_FILES)
  describe(`the public file ${url}`, () => {
    it('is not sent again to a client that has it', async () => {
      const { headers } = await rig.ask('GET', url);
      const etag = String(headers['etag']);
      assert.match(etag, /^W\/"[\w-]{27}"$/);
      assert.equal(headers['cache-control'], 'no-cache');
      const again = await rig.ask('GET', url, { headers: { 'if-none-match': `"x", ${etag}` } });
      assert.deepEqual([again.status, again.text], [304, '']);
      assert.equal(again.headers['etag'], etag);
      const other = await rig.ask('GET', url, { headers: { 'if-none-match': '"x"' } });
      assert.equal(other.status, 200);
    });

    it('is compressed as the client accepts it', async () => {
      const [br, gzip, plain] = [
        await fetchBytes(url, { 'accept-encoding': 'gzip, br' }),
        await fetchBytes(url, { 'accept-encoding': 'gzip' }),
        await fetchBytes(url, {}),
      ];
      assert.equal(br.headers['content-encoding'], 'br');
      assert.equal(gzip.headers['content-encoding'], 'gzip');
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.ok(br.bytes.length * 2 < plain.bytes.length);
      assert.deepEqual(brotliDecompressSync(br.bytes), plain.bytes);
      assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
      for (const { headers, bytes } of [br, gzip, plain]) {
        assert.equal(headers['content-length'], String(bytes.length));
        assert.equal(headers['vary'], 'Accept-Encoding');
        assert.equal(headers['etag'], plain.headers['etag']);
      }
    });
  });

describe('HEAD on a public resource', () => {
  for (const url of [
    ...PUBLIC_FILES,
    '/docs/static/operations.css',
    '/livez',
    '/readyz',
    '/healthz',
  ])
    it(`has the headers of GET: ${url}`, async () => {
      const headers = { 'accept-encoding': 'gzip' };
      const got = await rig.ask('GET', url, { headers });
      const head = await rig.ask('HEAD', url, { headers });
      const without = { 'x-request-id': '', date: '' };
      assert.deepEqual({ ...head.headers, ...without }, { ...got.headers, ...without });
      assert.equal(head.status, 200);
      assert.match(head.headers['content-length'] ?? '', /^[1-9]/);
    });

  // Not by `inject`, which keeps the bodies that Node does not send.
  it('has no body', async () => {
    await listen(rig);
    const request = (method: string, url: string, last = '') =>
      `${method} ${url} HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
    const urls = ['/docs', '/openapi.json', '/readyz', '/livez'];
    const heads = urls.map((url) => request('HEAD', url));
    const last = request('GET', '/livez', 'Connection: close\r\n');
    const text = await talk(rig, (socket) => socket.write(heads.join('') + last));
    const parts = text.split(/(?<=\r\n\r\n)/);
    assert.equal(parts.length, urls.length + 2);
    assert.equal(parts.at(-1), '{"status":"live"}');
  });

  it('is refused on a lookup, which it would charge', async () => {
    const { token } = await rig.reader({ limit: 1, period: 'none' });
    const head = await rig.ask('HEAD', `/private/sample/${'a'.repeat(64)}`, { token });
    assert.deepEqual([head.status, head.headers['allow']], [405, 'GET']);
    const { json } = await rig.ask('GET', '/api/balance', { token });
    assert.equal(json['requests_left'], 1);
  });
});
