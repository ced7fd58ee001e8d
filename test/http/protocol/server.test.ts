import assert from 'node:assert/strict';
import { after, describe, it, type TestContext } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import { sha256Of } from '../../builders.ts';
import { openRig, ownRig } from '../harness.ts';

const rig = await openRig();
after(() => rig.close());

describe('every answer', () => {
  it('has an id of its own, which the caller cannot choose', async () => {
    const headers = { 'x-request-id': 'mine', 'request-id': 'mine' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => rig.ask('GET', '/livez', { headers })),
    );
    const ids = new Set(answers.map((answer) => answer.headers['x-request-id']));
    assert.equal(ids.size, 50);
    assert.equal(ids.has('mine'), false);
  });

  it('is for its caller alone, and is data that no browser may run, frame or guess', async () => {
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

  it('says nothing of what the server is made of', async () => {
    const { headers } = await rig.ask('GET', '/livez');
    assert.equal(headers['server'], undefined);
    assert.equal(headers['x-powered-by'], undefined);
  });

  it('opens itself to no other origin', async () => {
    const headers = { origin: 'https://evil.example' };
    const answer = await rig.ask('GET', '/livez', { headers });
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });
});

describe('a defect', () => {
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

  it('is answered 500 with a fixed text that tells nothing of it', async (test) => {
    const { answer } = await broken(test, new Error(secret));
    assert.equal(answer.status, 500);
    assert.equal(answer.code, 'internal');
    assert.match(String(answer.json['error']), /^The service failed with an internal error/);
  });

  it('is answered so when it claims a status of its own', async (test) => {
    const cause = Object.assign(new Error(secret), { statusCode: 599 });
    assert.equal((await broken(test, cause)).answer.status, 500);
  });

  it('is answered so when it is no error at all', async (test) => {
    const { answer } = await broken(test, 'oops');
    assert.equal(answer.status, 500);
  });

  it('is logged with its cause and the id of the call', async (test) => {
    const { answer, lines } = await broken(test, new Error(secret));
    const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    assert.equal(logged.length, 1);
    assert.equal(logged[0].err.message, secret);
    assert.equal(logged[0].requestId, answer.headers['x-request-id']);
  });

  it('of the store is answered 503, and when to try again', async (test) => {
    const { answer } = await broken(test, new Problem('unavailable', { retryAfterSeconds: 3 }));
    assert.equal(answer.status, 503);
    assert.equal(answer.code, 'unavailable');
    assert.equal(answer.headers['retry-after'], '3');
  });
});

describe('the log', () => {
  it('never has a token, however it was sent and whatever became of the call', async (test) => {
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
  it('name routes, never addresses, which may hold a hash or an id', async (test) => {
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

  it('count each unit that was served, whatever was found, and each that was refused', async (test) => {
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
