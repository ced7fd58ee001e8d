import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import { sha256Of } from '../../builders.ts';
import { openRig, ownRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

describe('every response', () => {
  it('has a unique id, which the caller cannot choose', async () => {
    const headers = { 'x-request-id': 'mine', 'request-id': 'mine' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => rig.ask('GET', '/livez', { headers })),
    );
    const ids = new Set(answers.map((answer) => answer.headers['x-request-id']));
    assert.equal(ids.size, 50);
    assert.equal(ids.has('mine'), false);
  });

  it('is not cached, and no browser may execute, frame or sniff it', async () => {
    const { token } = await rig.reader();
    for (const url of ['/api/balance', '/nothing', '/livez', '/private/sample/x', '/%zz']) {
      const { headers } = await rig.ask('GET', url, { token });
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(
        headers['content-security-policy'],
        "default-src 'none'; frame-ancestors 'none'",
      );
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
    }
  });

  it('does not name the software of the server', async () => {
    const { headers } = await rig.ask('GET', '/livez');
    assert.equal(headers['server'], undefined);
    assert.equal(headers['x-powered-by'], undefined);
  });

  it('allows no other origin', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await rig.ask('GET', '/livez', { headers });
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });
});

describe('an unexpected error', () => {
  const secret = 'select * from token -- /srv/rapsheet/src/storage';

  async function broken(test: TestContext, cause: unknown) {
    const lines: string[] = [];
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        reports: { ...store.reports, create: () => Promise.reject(cause) },
      }),
      log: (line) => lines.push(line),
    });
    const { token } = await own.researcher();
    const answer = await own.create(await own.service(), token);
    return { answer, lines, token };
  }

  it('returns 500 with a fixed text without its details', async (test) => {
    const { answer } = await broken(test, new Error(secret));
    assert.equal(answer.status, 500);
    assert.equal(answer.code, 'internal');
    assert.match(String(answer.json['error']), /^The service failed with an internal error/);
  });

  it('returns 500 even if it has a status of its own', async (test) => {
    const cause = Object.assign(new Error(secret), { statusCode: 599 });
    assert.equal((await broken(test, cause)).answer.status, 500);
  });

  it('returns 500 if the thrown value is no error', async (test) => {
    const { answer } = await broken(test, 'oops');
    assert.equal(answer.status, 500);
  });

  it('is logged with its cause and the request id', async (test) => {
    const { answer, lines } = await broken(test, new Error(secret));
    const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    assert.equal(logged.length, 1);
    assert.equal(logged[0].err.message, secret);
    assert.equal(logged[0].requestId, answer.headers['x-request-id']);
  });

  it('of the store returns 503 with Retry-After', async (test) => {
    const { answer } = await broken(test, new Problem('unavailable', { retryAfterSeconds: 3 }));
    assert.equal(answer.status, 503);
    assert.equal(answer.code, 'unavailable');
    assert.equal(answer.headers['retry-after'], '3');
  });
});

describe('the log', () => {
  it('never contains a token, however it was sent and whatever the response', async (test) => {
    const lines: string[] = [];
    const own = await ownRig(test, {
      log: (line) => lines.push(line),
      between: (store) => ({
        ...store,
        samples: { ...store.samples, lookUp: () => Promise.reject(new Error('broken')) },
      }),
    });
    const { token } = await own.researcher();
    const service = await own.service();
    const bad = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const basic = Buffer.from(`x:${token}`).toString('base64');
    await own.create(service, token);
    await own.create(service, bad);
    await own.lookUp('x', token);
    for (const headers of [
      { authorization: token },
      { authorization: `Basic ${basic}` },
      { 'x-api-key': token },
      { 'auth-key': token },
    ])
      await own.ask('GET', '/api/balance', { headers });
    const issued = await own.ask('POST', '/api/tokens', { token });
    const log = lines.join('');
    assert.ok(lines.length > 7);
    for (const text of [token, bad, basic, String(issued.json['token'])])
      assert.equal(log.includes(text), false);
  });
});

describe('the metrics', () => {
  it('have route labels, never URLs, which may contain a hash or an id', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.reader();
    await own.lookUp('deadbeef', token);
    await own.ask('GET', '/nothing/deadbeef', { token: 'rap_bad' });
    await own.ask('GET', '/api/balance', { token: 'rap_bad' });
    const text = await own.deps.metrics.registry.metrics();
    assert.doesNotMatch(text, /deadbeef/);
    assert.match(text, /route="\/private\/sample\/:hash",status="400"/);
    assert.match(text, /rapsheet_bad_tokens_total 1/);
  });

  it('count each served lookup, whatever its result, and each refused one', async (test) => {
    const own = await ownRig(test);
    const { sha256Hash } = await own.analyse('known');
    const { token } = await own.reader({ limit: 7, period: 'none' });
    const counted = async () => {
      const text = await own.deps.metrics.registry.metrics();
      return [...text.matchAll(/^rapsheet_quota_units_total\{outcome="(\w+)"\} (\d+)$/gm)].map(
        ([, outcome, count]) => [outcome, Number(count)],
      );
    };
    const missing = sha256Of('missing');
    const hashes = [sha256Hash, missing];
    assert.equal((await own.lookUp(sha256Hash, token)).status, 200);
    assert.equal((await own.lookUp(missing, token)).status, 404);
    assert.equal((await own.lookUp('none', token)).status, 400);
    assert.equal((await own.ask('GET', `/private/similar/${sha256Hash}`, { token })).status, 200);
    const many = () => own.ask('POST', '/private/samples', { token, body: { hashes } });
    assert.equal((await many()).status, 200);
    assert.equal((await own.ask('GET', '/api/balance', { token })).status, 200);
    assert.deepEqual(await counted(), [
      ['served', 6],
      ['refused', 0],
    ]);
    assert.equal((await many()).status, 429, 'one is left');
    await own.lookUp(missing, token);
    assert.equal((await own.lookUp(missing, token)).status, 429);
    assert.deepEqual(await counted(), [
      ['served', 7],
      ['refused', 3],
    ]);
  });
});
