import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ClientOptions, RapsheetClient } from './client.ts';
import { RapsheetError } from './error.ts';

const TOKEN = 'rap_secret';
const NOW = Date.parse('2026-08-26T10:00:00Z');
const DRAFT = { c2Address: 'tunnel.ply.example:4444', file256Hash: 'ab'.repeat(32) };
const QUOTA = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '7' };

type Answer = Response | Error;

/**
 * A client of a fake server with these answers, one per call; delays are recorded, not waited for.
 */
function clientOf(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const waits: number[] = [];
  const client = new RapsheetClient({
    url: 'http://rapsheet.example',
    token: TOKEN,
    now: () => NOW,
    random: () => 0,
    sleep: async (ms) => void waits.push(ms),
    fetch: async (input, init) => {
      const answer = answers[requests.length];
      requests.push(new Request(input, init));
      assert.ok(answer !== undefined, 'one call more than expected');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...options,
  });
  return { client, requests, waits };
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { error: `refused: ${code}`, successful: false },
    { status, headers: { 'x-error-code': code, 'x-request-id': 'abc-1', ...headers } },
  );
}

const made = () => Response.json({ id: 'x', successful: true }, { status: 201 });
const unavailable = () => refusal(503, 'unavailable');
const refused = () =>
  Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  });

/** An answer whose body is truncated. */
function cut(): Response {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { status: 201 });
}

async function failure(call: Promise<unknown>): Promise<RapsheetError> {
  const error = await call.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof RapsheetError, 'it was expected to fail');
  return error;
}

describe('a name or id of dots', () => {
  for (const [what, call] of Object.entries({
    'a service': (client) => client.fetchReport('..', 'x'),
    'a hash': (client) => client.lookUp('..'),
    'an account': (client) => client.showAccount('.'),
    'a format': (client) => client.exportFeed('ply', '..'),
  } satisfies Record<string, (client: RapsheetClient) => Promise<unknown>>))
    it(`is refused as ${what}, because URLs resolve it`, async () => {
      const { client, requests } = clientOf([]);
      const error = await failure(call(client));
      assert.equal(error.code, 'bad_options');
      assert.equal(requests.length, 0);
    });

  it('is sent in a query and as a part of a name', async () => {
    const { client, requests } = clientOf([made(), made()]);
    await client.fetchReport('a..b', '../x');
    assert.match(requests[0]?.url ?? '', /a\.\.b\/api\?report=\.\.%2Fx$/);
  });
});

describe('creating a report', () => {
  it('returns whether the desk has rejected the C2', async () => {
    const body = { id: 'x', successful: true } as const;
    const hinted = Response.json(body, { status: 201, headers: { 'x-c2-rejected': 'true' } });
    const { client } = clientOf([hinted, made()]);
    assert.deepEqual(await client.createReport('ply', DRAFT), { ...body, c2Rejected: true });
    assert.deepEqual(await client.createReport('ply', DRAFT), body);
  });

  it('sends the same idempotency key with every attempt', async () => {
    const { client, requests } = clientOf([refused(), unavailable(), cut(), made()]);
    assert.deepEqual(await client.createReport('ply', DRAFT), { id: 'x', successful: true });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    assert.equal(keys.length, 4);
    assert.equal(new Set(keys).size, 1);
    assert.match(
      keys[0] ?? '',
      /^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"$/,
    );
  });

  it('sends another key with another report', async () => {
    const { client, requests } = clientOf([made(), made()]);
    await client.createReport('ply', DRAFT);
    await client.createReport('ply', DRAFT);
    const [one, other] = requests.map(({ headers }) => headers.get('idempotency-key'));
    assert.notEqual(one, other);
  });

  it('sends the key of the caller', async () => {
    const { client, requests } = clientOf([made()]);
    await client.createReport('ply', DRAFT, 'case 17');
    assert.equal(requests[0]?.headers.get('idempotency-key'), '"case 17"');
  });

  it('refuses a key that is no valid header value, before a request is sent', async () => {
    const { client, requests } = clientOf([]);
    const error = await failure(client.createReport('ply', DRAFT, 'ключ'));
    assert.equal(error.code, 'bad_options');
    assert.equal(requests.length, 0);
  });

  it('is not retried when it is refused', async () => {
    const { client, requests } = clientOf([refusal(400, 'invalid_body')]);
    const error = await failure(client.createReport('ply', DRAFT));
    assert.equal(error.status, 400);
    assert.equal(error.code, 'invalid_body');
    assert.equal(error.requestId, 'abc-1');
    assert.equal(error.message, 'refused: invalid_body');
    assert.equal(requests.length, 1);
  });
});

describe('the delay between attempts', () => {
  it('doubles each time, up to the number of retries', async () => {
    const { client, waits } = clientOf([refused(), refused(), refused(), refused()], {
      retries: 3,
    });
    const error = await failure(client.balance());
    assert.equal(error.code, 'no_answer');
    assert.deepEqual(waits, [125, 250, 500]);
  });

  it('has a random part', async () => {
    const { client, waits } = clientOf([unavailable(), made()], { random: () => 1 });
    await client.balance();
    assert.deepEqual(waits, [250]);
  });

  it('is the number of seconds in Retry-After', async () => {
    const { client, waits } = clientOf([
      refusal(503, 'unavailable', { 'retry-after': '5' }),
      made(),
    ]);
    await client.balance();
    assert.deepEqual(waits, [5000]);
  });

  it('ends at the date in Retry-After', async () => {
    const after = { 'retry-after': 'Wed, 26 Aug 2026 10:00:12 GMT' };
    const { client, waits } = clientOf([refusal(429, 'throttled', after), made()]);
    await client.balance();
    assert.deepEqual(waits, [12_000]);
  });

  it('is skipped if it is too long; the error has its length', async () => {
    const after = { 'retry-after': '3600' };
    const { client, waits } = clientOf([refusal(429, 'quota_exhausted', { ...after, ...QUOTA })]);
    const error = await failure(client.lookUp('hash'));
    assert.equal(error.retryAfterSeconds, 3600);
    assert.equal(error.quota?.remaining, 7);
    assert.deepEqual(waits, []);
  });

  it('is bounded for all attempts of a call together', async () => {
    const slow = () => refusal(503, 'unavailable', { 'retry-after': '4' });
    const { client, waits } = clientOf([slow(), slow(), slow()], { maxWaitMs: 10_000 });
    await failure(client.balance());
    assert.deepEqual(waits, [4000, 4000]);
  });

  it('is skipped if the quota never resets', async () => {
    const { client, requests } = clientOf([refusal(429, 'quota_exhausted')]);
    await failure(client.lookUp('hash'));
    assert.equal(requests.length, 1);
  });

  it('is skipped for a bad token', async () => {
    const { client, requests } = clientOf([
      refusal(429, 'too_many_bad_tokens', { 'retry-after': '1' }),
    ]);
    await failure(client.balance());
    assert.equal(requests.length, 1);
  });
});

describe('a lookup', () => {
  const found = (headers: Record<string, string>) =>
    Response.json({ fileName: 'a.exe' }, { headers });

  it('returns the quota next to the report', async () => {
    const reset = { 'x-ratelimit-reset': String(Date.parse('2026-08-27T00:00:00Z') / 1000) };
    const { client } = clientOf([found({ ...QUOTA, ...reset })]);
    assert.deepEqual(await client.lookUp('hash'), {
      report: { fileName: 'a.exe' },
      quota: { limit: 1000, remaining: 7, resetsAt: '2026-08-27T00:00:00Z' },
    });
  });

  it('returns null for an account without a limit', async () => {
    const none = '999999999999999';
    const { client } = clientOf([
      found({ 'x-ratelimit-limit': none, 'x-ratelimit-remaining': none }),
    ]);
    const { quota } = await client.lookUp('hash');
    assert.deepEqual(quota, { limit: null, remaining: null, resetsAt: null });
  });

  it('returns the report without the quota headers too', async () => {
    const { client } = clientOf([found({})]);
    assert.deepEqual(await client.lookUp('hash'), {
      report: { fileName: 'a.exe' },
      quota: undefined,
    });
  });

  it('is retried after 503, which charges nothing', async () => {
    const { client, requests } = clientOf([unavailable(), found(QUOTA)]);
    await client.lookUp('hash');
    assert.equal(requests.length, 2);
  });

  for (const [what, answer] of [
    ['a refused connection', refused],
    ['a truncated answer', cut],
    ['a gateway timeout', () => new Response('', { status: 504 })],
  ] as const) {
    it(`is not retried after ${what}, which may have cost a unit`, async () => {
      const { client, requests } = clientOf([answer()]);
      await failure(client.lookUp('hash'));
      assert.equal(requests.length, 1);
    });
  }

  it('uses the analysis URL if there is one', async () => {
    const { client, requests } = clientOf([found(QUOTA)], {
      analysisUrl: 'http://analysis.example/v1/',
    });
    await client.lookUp('hash');
    assert.equal(requests[0]?.url, 'http://analysis.example/v1/private/sample/hash');
  });
});

describe('a call that is not idempotent', () => {
  it('is not retried after a broken connection', async () => {
    for (const call of [
      (client: RapsheetClient) => client.issueToken(),
      (client: RapsheetClient) => client.changeAccount('alice', { topUp: 5 }),
      (client: RapsheetClient) => client.addAccount({ name: 'alice' }),
    ]) {
      const { client, requests } = clientOf([refused()]);
      await failure(call(client));
      assert.equal(requests.length, 1);
    }
  });

  it('is retried after 503, which changes nothing', async () => {
    const { client, requests } = clientOf([unavailable(), made()]);
    await client.issueToken();
    assert.equal(requests.length, 2);
  });

  it('is not retried if its body is a stream, which can be read only once', async () => {
    const lines = new Blob(['{}\n']).stream();
    const { client, requests } = clientOf([unavailable()]);
    await failure(client.importSamples(lines));
    assert.equal(requests.length, 1);
  });
});

describe('errors', () => {
  it('mention that an earlier attempt may have deleted the report', async () => {
    const { client } = clientOf([refused(), refusal(404, 'unknown_report')]);
    const error = await failure(client.deleteReport('ply', 'id'));
    assert.equal(error.code, 'unknown_report');
    assert.match(error.message, /An earlier attempt got no answer and may have been carried out/);
  });

  it('contain the system error code and the URL', async () => {
    const { client } = clientOf([refused()], { retries: 0 });
    const error = await failure(client.balance());
    assert.equal(
      error.message,
      'No complete answer came from http://rapsheet.example (ECONNREFUSED).',
    );
    assert.equal(error.status, undefined);
  });

  it('mention the timeout', async () => {
    const { client } = clientOf([new DOMException('late', 'TimeoutError')], { retries: 0 });
    assert.match((await failure(client.balance())).message, /rapsheet\.example in time\.$/);
  });

  it('say that an answer is not JSON', async () => {
    const page = new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } });
    const { client } = clientOf([page]);
    const error = await failure(client.balance());
    assert.equal(error.code, 'bad_answer');
    assert.equal(error.status, 200);
    assert.match(error.message, /not JSON or not all of it \(text\/html\)/);
  });

  it('contain the status of an answer without an error body', async () => {
    const { client } = clientOf([new Response('<h1>Bad Gateway</h1>', { status: 502 })], {
      retries: 0,
    });
    const error = await failure(client.balance());
    assert.equal(error.status, 502);
    assert.match(error.message, /answered 502 without saying why/);
  });

  it('are thrown for a redirect, which would leak the token', async () => {
    const elsewhere = new Response(null, {
      status: 308,
      headers: { location: 'https://elsewhere.example/' },
    });
    const { client, requests } = clientOf([elsewhere]);
    const error = await failure(client.balance());
    assert.match(error.message, /redirect to https:\/\/elsewhere\.example\//);
    assert.equal(requests[0]?.redirect, 'manual');
  });

  it('never contain the token, even if the server echoes it', async () => {
    const echo = Response.json({ error: `bad token ${TOKEN}`, successful: false }, { status: 401 });
    const { client } = clientOf([echo]);
    const error = await failure(client.balance());
    assert.equal(error.message, 'bad token [token]');
    assert.doesNotMatch(JSON.stringify(error) + error.stack, new RegExp(TOKEN));
  });

  it('are thrown by the constructor for a token that is no valid header value, without quoting it', () => {
    assert.throws(
      () => clientOf([], { token: 'two\nlines' }),
      (error) => error instanceof RapsheetError && !error.message.includes('two'),
    );
  });

  it('are thrown by the constructor for an invalid URL and for one with a password', () => {
    for (const url of ['rapsheet', 'ftp://rapsheet.example', 'http://a:b@rapsheet.example'])
      assert.throws(() => clientOf([], { url }), RapsheetError);
  });
});

describe('the request', () => {
  it('keeps the path prefix of the URL and encodes its parameters', async () => {
    const { client, requests } = clientOf([made()], { url: 'http://rapsheet.example/abuse/' });
    await client.purgeReport('a/b', 'court order & more');
    assert.equal(
      requests[0]?.url,
      'http://rapsheet.example/abuse/admin/reports/a%2Fb?reason=court%20order%20%26%20more',
    );
  });

  it('has no Authorization header without a token', async () => {
    const { client, requests } = clientOf([made()], { token: undefined });
    await client.livez();
    assert.equal(requests[0]?.headers.get('authorization'), null);
  });
});

describe('a client on a page of the server', () => {
  const onPage = (answers: readonly Answer[]) =>
    clientOf(answers, { token: undefined, sameOrigin: true });

  it('sends the cookie of the browser and the header with every call, and no token', async () => {
    const { client, requests } = onPage([Response.json({}), made(), Response.json({})]);
    await client.me();
    await client.createReport('ply', DRAFT);
    await client.signOut();
    for (const { headers, credentials } of requests) {
      assert.equal(headers.get('x-rapsheet-request'), '1');
      assert.equal(headers.get('authorization'), null);
      assert.equal(credentials, 'same-origin');
    }
  });

  it('signs in with a token or with a link', async () => {
    const { client, requests } = onPage([Response.json({}), Response.json({})]);
    await client.signIn({ token: TOKEN });
    await client.signIn({ link: 'ral_secret' });
    const [byToken, byLink] = requests;
    assert.equal(byToken?.headers.get('authorization'), `Bearer ${TOKEN}`);
    assert.equal(byToken?.headers.get('content-type'), null);
    assert.deepEqual(await byLink?.json(), { link: 'ral_secret' });
    assert.equal(byLink?.headers.get('authorization'), null);
  });

  it('does not repeat a sign-in that got no answer', async () => {
    const { client, requests } = onPage([refused()]);
    assert.equal((await failure(client.signIn({ link: 'ral_secret' }))).code, 'no_answer');
    assert.equal(requests.length, 1);
  });

  it('has no token of its own', () => {
    assert.throws(() => clientOf([], { sameOrigin: true }), { code: 'bad_options' });
  });

  it('is told apart from one with a token, which sends no cookie', async () => {
    const { client, requests } = clientOf([Response.json({})]);
    await client.me();
    assert.equal(requests[0]?.credentials, 'omit');
    assert.equal(requests[0]?.headers.get('x-rapsheet-request'), null);
  });
});
