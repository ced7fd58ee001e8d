import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { BASE_URL, openRig, ownRig } from '../http-rig.ts';
import { Browser, newLink, signedIn } from './browser.ts';

const rig = await openRig();
after(() => rig.close());

type Headers = Readonly<Record<string, string>>;
const HASH = 'a'.repeat(64);
const MARK = { 'x-rapsheet-request': '1' };
const PAGE = { origin: BASE_URL, 'sec-fetch-site': 'same-origin' };

/** Headers that a request with the cookie may not have, with what the refusal says. */
const FOREIGN: readonly (readonly [string, Headers, RegExp])[] = [
  ['another origin', { ...MARK, origin: 'https://evil.example' }, /Origin/],
  ['another host of the domain', { ...MARK, origin: 'https://www.feeds.example' }, /Origin/],
  ['another port', { ...MARK, origin: `${BASE_URL}:8443` }, /Origin/],
  ['another scheme', { ...MARK, origin: 'http://feeds.example' }, /Origin/],
  ['an opaque origin', { ...MARK, origin: 'null' }, /Origin/],
  ['an empty origin', { ...MARK, origin: '' }, /Origin/],
  ['another site', { ...MARK, 'sec-fetch-site': 'cross-site' }, /Sec-Fetch-Site/],
  ['the same site', { ...MARK, origin: BASE_URL, 'sec-fetch-site': 'same-site' }, /Sec-Fetch-Site/],
];

/** Headers that are accepted for reads only. */
const UNPROVEN: readonly (readonly [string, Headers, RegExp])[] = [
  ['no header at all', {}, /X-Rapsheet-Request: 1/],
  ['only what the browser adds', PAGE, /X-Rapsheet-Request: 1/],
  ['another value of the header', { ...PAGE, 'x-rapsheet-request': 'true' }, /X-Rapsheet-Request/],
  ['the address bar', { ...MARK, 'sec-fetch-site': 'none' }, /Sec-Fetch-Site/],
];

const ACCEPTED: readonly Headers[] = [MARK, { ...MARK, ...PAGE }];

interface Operation {
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

/** All GET operations of the document that take units of the quota. */
function chargedPaths(): readonly string[] {
  const file = join(import.meta.dirname, '../../../docs/openapi.json');
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths)
    .filter(
      ([, { get }]) => get !== undefined && 'RateLimit' in (get.responses['200']?.headers ?? {}),
    )
    .map(([path]) => path.replace(/\{\w+\}/g, HASH));
}

describe('a request with the session cookie', async () => {
  const { token } = await rig.reader();
  const { cookie = '' } = await signedIn(rig, token);
  const ask = (method: string, url: string, headers: Headers, body?: unknown) =>
    rig.ask(method, url, { headers: { cookie, ...headers }, body });
  const remaining = async () =>
    (await rig.ask('GET', '/api/balance', { token })).json['requests_left'];

  const protectedCalls: readonly (readonly [string, string, unknown?])[] = [
    ...chargedPaths().map((path) => ['GET', path] as const),
    ['POST', '/private/samples', { hashes: [HASH] }],
    ['POST', '/api/tokens', {}],
    ['DELETE', '/api/sessions'],
    ['DELETE', '/session'],
    ['POST', '/session', { link: 'ral_x' }],
  ];

  it('takes units on these paths', () => {
    assert.deepEqual(chargedPaths().toSorted(), [
      `/private/sample/${HASH}`,
      `/private/sample/${HASH}/details`,
      '/private/similar',
      `/private/similar/${HASH}`,
    ]);
  });

  async function isRefused(headers: Headers, says: RegExp): Promise<void> {
    for (const [method, url, body] of protectedCalls) {
      const answer = await ask(method, url, headers, body);
      assert.deepEqual([answer.status, answer.code], [403, 'cross_origin'], `${method} ${url}`);
      assert.match(answer.text, says);
    }
  }

  for (const [what, headers, says] of [...FOREIGN, ...UNPROVEN])
    it(`changes nothing and takes no unit with ${what}`, async () => {
      const before = await remaining();
      assert.equal((await ask('GET', '/session', {})).status, 200, 'it is cached now');
      await isRefused(headers, says);
      // A new service clears the cache.
      await rig.service();
      await isRefused(headers, says);
      assert.equal(await remaining(), before);
      assert.equal((await ask('GET', '/session', {})).status, 200, 'it stays signed in');
    });

  for (const [what, headers] of FOREIGN)
    it(`reads nothing with ${what}`, async () => {
      for (const url of ['/session', '/api/tokens', '/feed/all/stream'])
        assert.deepEqual((await ask('GET', url, headers)).code, 'cross_origin', url);
    });

  it('reads what is free without the header', async () => {
    for (const [, headers] of UNPROVEN)
      assert.equal((await ask('GET', '/api/balance', headers)).status, 200);
  });

  it('is charged from a page of this server', async () => {
    for (const headers of ACCEPTED) {
      const before = Number(await remaining());
      assert.equal((await ask('GET', `/private/sample/${HASH}`, headers)).status, 404);
      assert.equal(await remaining(), before - 1);
    }
  });

  it('may come from the host that it names, whatever the base URL is', async () => {
    const host = '192.0.2.7:8080';
    const own = { ...MARK, host, origin: `http://${host}` };
    assert.equal((await ask('POST', '/api/tokens', own, {})).status, 201);
    const other = { ...own, origin: `https://${host}` };
    assert.equal((await ask('POST', '/api/tokens', other, {})).code, 'cross_origin');
  });

  it('is refused with 405 where the path has no such method', async () => {
    for (const method of ['HEAD', 'OPTIONS']) {
      const answer = await ask(method, `/private/sample/${HASH}`, {});
      assert.equal(answer.status, 405);
      const allowed = Object.keys(answer.headers).filter((name) => name.startsWith('access-'));
      assert.deepEqual(allowed, []);
    }
  });
});

describe('a request with a token', () => {
  it('needs no header, from any page', async () => {
    const { token } = await rig.reader();
    const { cookie = '' } = await signedIn(rig, token);
    for (const [, headers] of [...FOREIGN, ...UNPROVEN]) {
      const { 'x-rapsheet-request': _, ...others } = headers;
      const answer = await rig.ask('GET', `/private/sample/${HASH}`, {
        token,
        headers: { ...others, cookie },
      });
      assert.equal(answer.status, 404);
    }
  });
});

describe('behind a proxy', () => {
  it('the origin is that of the forwarded host, if the proxy is trusted', async (test) => {
    for (const trustProxy of [['127.0.0.1'], false] as const) {
      const own = await ownRig(test, { trustProxy, baseUrl: 'http://127.0.0.1:8080' });
      const headers = {
        ...MARK,
        host: 'inside:8080',
        origin: 'https://abuse.example',
        'x-forwarded-host': 'abuse.example',
        'x-forwarded-proto': 'https',
      };
      const { status } = await own.ask('POST', '/session', { token: own.admin, headers });
      assert.equal(status, trustProxy === false ? 403 : 200);
    }
  });
});

describe('signing in', () => {
  const foreign = [...FOREIGN, ...UNPROVEN.filter(([, { origin }]) => origin !== undefined)];
  for (const [what, headers] of foreign)
    it(`is refused with ${what}, and uses no link`, async () => {
      const account = await rig.reader();
      const link = await newLink(rig, account.id);
      for (const asked of [{ body: { link } }, { token: account.token }]) {
        const answer = await rig.ask('POST', '/session', { ...asked, headers });
        assert.deepEqual([answer.status, answer.code], [403, 'cross_origin']);
        assert.equal(answer.headers['set-cookie'], undefined);
      }
      await new Browser(rig).signIn({ body: { link } });
    });

  it('needs no header in a program', async () => {
    const account = await rig.reader();
    const link = await newLink(rig, account.id);
    for (const asked of [{ body: { link } }, { token: account.token }])
      assert.equal((await rig.ask('POST', '/session', asked)).status, 200);
  });

  it('is refused as a form', async () => {
    const payload = 'link=ral_x';
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      const answer = await rig.ask('POST', '/session', {
        headers: { 'content-type': type },
        payload,
      });
      assert.equal(answer.status, 415);
    }
  });
});
