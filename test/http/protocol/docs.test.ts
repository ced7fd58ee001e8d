import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRig } from '../harness.ts';

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
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /https:|unsafe-eval/);
    assert.match(policy, /script-src 'self'[^;]*;/);
    assert.doesNotMatch(policy, /script-src[^;]*unsafe-inline/);
  });

  it('works without TLS', async () => {
    const { headers } = await rig.ask('GET', '/docs');
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /upgrade-insecure-requests/);
  });

  it('has its assets, which read the document of this server', async () => {
    const { text } = await rig.ask('GET', '/docs');
    const parts = [...text.matchAll(/(?:src|href)="\.?\/?([^"]+)"/g)].map(([, part]) => part);
    assert.ok(parts.length > 2);
    for (const part of parts) {
      const url = new URL(part ?? '', 'http://x/').pathname;
      assert.equal((await rig.ask('GET', url)).status, 200, url);
    }
    const script = await rig.ask('GET', '/docs/static/swagger-initializer.js');
    assert.match(script.text, /\/openapi\.json/);
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
