import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PAGES } from '../../../src/http/routes/web.ts';
import { openRig, ownRig } from '../http-rig.ts';
import { buildFakeApplication, ICON, PAGE, SCRIPT, STYLE_HASHES } from './built-application.ts';

const application = await buildFakeApplication();
const rig = await openRig({ webFolder: application.folder });
after(async () => {
  await rig.close();
  application.remove();
});

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${STYLE_HASHES.join(' ')}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
const SCRIPT_PATH = '/assets/page-X1.js';
const urls = PAGES.map((url) => url.replace('*', 'a/b%2Fc?tab=x'));

/** With the bytes, which `rig.ask` reads as text. */
async function fetchBytes(url: string, headers: Record<string, string>) {
  const response = await rig.app.inject({ method: 'GET', url, headers });
  return { headers: response.headers, bytes: response.rawPayload };
}

describe('a page of the application', () => {
  for (const url of urls)
    it(`is served at ${url}, with its policy and not cached`, async () => {
      const { status, text, headers } = await rig.ask('GET', url);
      assert.deepEqual([status, text], [200, PAGE]);
      assert.partialDeepStrictEqual(headers, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-cache',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
    });

  it('does not depend on Accept or a token', async () => {
    for (const accept of ['application/json', 'text/html', 'image/png'])
      for (const token of [undefined, rig.admin, 'rap_bad']) {
        const answer = await rig.ask('GET', '/files/x', { token, headers: { accept } });
        assert.equal(answer.text, PAGE);
      }
    for (const url of [
      '/nothing',
      '/api/nothing',
      '/feed/x',
      '/docsx',
      '/index.html',
      '/files.json',
    ])
      assert.equal(
        (await rig.ask('GET', url, { headers: { accept: 'text/html' } })).code,
        'unknown_route',
      );
  });

  it('is not read again if it has not changed', async () => {
    const { headers } = await rig.ask('GET', '/');
    const etag = String(headers['etag']);
    for (const tag of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const answer = await rig.ask('GET', '/desk', { headers: { 'if-none-match': tag } });
      assert.deepEqual([answer.status, answer.text], [304, '']);
      assert.equal(answer.headers['etag'], etag);
      assert.equal(answer.headers['content-security-policy'], POLICY);
    }
    const other = await rig.ask('GET', '/', { headers: { 'if-none-match': '"other"' } });
    assert.equal(other.status, 200);
  });

  it('has the same headers for HEAD, and no body', async () => {
    for (const url of ['/', SCRIPT_PATH]) {
      const headers = { 'accept-encoding': 'gzip' };
      const [got, head] = [
        await rig.ask('GET', url, { headers }),
        await rig.ask('HEAD', url, { headers }),
      ];
      const without = { 'x-request-id': '', date: '' };
      assert.deepEqual({ ...head.headers, ...without }, { ...got.headers, ...without });
      assert.deepEqual([head.status, head.text], [200, '']);
    }
  });

  it('accepts no other method', async () => {
    for (const url of ['/', '/feeds/x', '/admin', SCRIPT_PATH])
      for (const method of ['POST', 'DELETE', 'OPTIONS', 'TRACE']) {
        const answer = await rig.ask(method, url);
        assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD']);
      }
  });
});

describe('an asset', () => {
  it('may be cached for ever', async () => {
    const { text, headers } = await rig.ask('GET', SCRIPT_PATH);
    assert.equal(text, SCRIPT);
    assert.partialDeepStrictEqual(headers, {
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': DATA_POLICY,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
  });

  it('is compressed as the client accepts it', async () => {
    const [br, gzip, plain] = [
      await fetchBytes(SCRIPT_PATH, { 'accept-encoding': 'gzip, br' }),
      await fetchBytes(SCRIPT_PATH, { 'accept-encoding': 'gzip;q=0.9, br;q=0.1' }),
      await fetchBytes(SCRIPT_PATH, { 'accept-encoding': 'gzip;q=0, br;q=0' }),
    ];
    assert.equal(br.headers['content-encoding'], 'br');
    assert.equal(brotliDecompressSync(br.bytes).toString(), SCRIPT);
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(gzip.bytes).toString(), SCRIPT);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.bytes.toString(), SCRIPT);
    for (const { headers, bytes } of [br, gzip, plain])
      assert.equal(headers['content-length'], String(bytes.length));
  });

  it('without a compressed copy is sent as it is', async () => {
    const { bytes, headers } = await fetchBytes('/assets/icon-X3.svg', { 'accept-encoding': '*' });
    assert.equal(bytes.toString(), ICON);
    assert.equal(headers['content-encoding'], undefined);
  });

  it('that is the script of a worker may run WebAssembly', async () => {
    const { headers } = await rig.ask('GET', '/assets/hash-worker-X2.js');
    const expected = POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'");
    assert.equal(headers['content-security-policy'], expected);
  });

  for (const url of [
    '/assets/nothing.js',
    '/assets/',
    '/assets/unlisted.js',
    '/assets/page-X1.js.br',
    '/assets/page-X1.js//',
    '/assets//page-X1.js',
    '/assets/PAGE-X1.js',
    '/assets/../index.html',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/%2e%2e%2findex.html',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%252e%252e/secret.txt',
    '/assets/page-X1.js%00',
    '/assets/__proto__',
    '/assets/constructor',
    '/assets/%',
    '/assets/%ff',
  ])
    it(`does not exist at ${url}`, async () => {
      const answer = await rig.ask('GET', url);
      assert.ok([400, 404].includes(answer.status), answer.text);
      assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
      assert.equal(answer.headers['cache-control'], 'no-store');
    });

  it('may have its name encoded', async () => {
    assert.equal((await rig.ask('GET', '/assets/%70age-X1.js')).text, SCRIPT);
  });
});

describe('the application', () => {
  it('that was removed under the server gives 404, and works again when it is back', async (test) => {
    const own = await buildFakeApplication();
    test.after(own.remove);
    const server = await ownRig(test, { webFolder: own.folder });
    assert.equal((await server.ask('GET', '/')).status, 200);
    rmSync(own.path('assets/page-X1.js'));
    assert.equal((await server.ask('GET', SCRIPT_PATH)).code, 'unknown_route');
    assert.equal((await server.ask('GET', '/')).text, PAGE);
  });

  it('that is not built says how to build it, with the same protection', async (test) => {
    const server = await ownRig(test, { webFolder: new URL('file:///nothing/here/') });
    for (const url of urls) {
      // Not by `ask`, which requires that errors are JSON.
      const response = await server.app.inject({ method: 'GET', url });
      assert.equal(response.statusCode, 503);
      assert.match(response.payload, /<h1>The web application is not built<\/h1>[\s\S]*npm ci/);
      assert.partialDeepStrictEqual(response.headers, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': DATA_POLICY,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    }
    assert.equal((await server.ask('GET', SCRIPT_PATH)).code, 'unknown_route');
    assert.equal((await server.ask('GET', '/livez')).status, 200);
  });
});

const BUILT = join(import.meta.dirname, '../../../web/dist');
const skip = !existsSync(join(BUILT, 'files.json')) && 'the web application is not built';

describe('the real application', { skip }, () => {
  const list = () => JSON.parse(readFileSync(join(BUILT, 'files.json'), 'utf8'));

  it('allows the style elements of its libraries by hash', () => {
    const { inlineStyles } = list();
    assert.equal(inlineStyles.length, 2);
    for (const hash of inlineStyles) assert.match(hash, /^'sha256-[\w+/]{43}='$/);
  });

  it('has a page without inline scripts and styles, which the policy would block', async (test) => {
    const { text } = await (await ownRig(test)).ask('GET', '/');
    assert.match(text, /<script type="module"[^>]* src="\/assets\/[^"]+"><\/script>/);
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:/);
  });

  it('is served whole, with a policy for workers only on workers', async (test) => {
    const server = await ownRig(test);
    const { files } = list();
    const paths = Object.keys(files).filter((path) => path.startsWith('assets/'));
    const workers: string[] = [];
    for (const path of paths) {
      const { status, headers } = await server.ask('HEAD', `/${path}`);
      assert.deepEqual([status, Number(headers['content-length'])], [200, files[path].bytes], path);
      if (/wasm-unsafe-eval/.test(headers['content-security-policy'] ?? '')) workers.push(path);
    }
    assert.ok(workers.some((path) => /\/hash-worker-/.test(path)));
    assert.ok(workers.every((path) => /-worker-/.test(path)));
  });
});

describe('the reference of the API', () => {
  it('has the policy of the application, without its style elements', async () => {
    const { headers } = await rig.ask('GET', '/docs');
    const policy = POLICY.replace(` ${STYLE_HASHES.join(' ')}`, '');
    assert.equal(headers['content-security-policy'], policy);
  });
});
