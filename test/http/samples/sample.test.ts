import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import { sha256Of } from '../../builders.ts';
import type { Answer } from '../contract.ts';
import { openRig, ownRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const MISS = sha256Of('a file that was never analysed');
const QUOTA_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
];

function quotaHeaders({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(
    QUOTA_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

describe('looking up a file', () => {
  it('returns the twelve fields of the specification, without an envelope', async () => {
    const analysis = await rig.analyse(rig.fresh('file'));
    const answer = await rig.lookUp(analysis.sha256Hash, (await rig.reader()).token);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, analysis);
    assert.deepEqual(Object.keys(answer.json), [
      'date',
      'tags',
      'ssDeep',
      'configs',
      'mD5Hash',
      'fileName',
      'sha1Hash',
      'blake3Hash',
      'sha256Hash',
      'sha512Hash',
      'sizeInBytes',
      'staticAnalysisDuration',
    ]);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  });

  it('has the date in whole seconds of UTC', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'), { date: '2024-02-29T23:59:59Z' });
    const answer = await rig.lookUp(sha256Hash, (await rig.reader()).token);
    assert.equal(answer.json['date'], '2024-02-29T23:59:59Z');
  });

  for (const kind of ['sha256Hash', 'sha512Hash', 'blake3Hash'] as const) {
    it(`finds it by its ${kind}, in any case`, async () => {
      const analysis = await rig.analyse(rig.fresh('file'));
      const { token } = await rig.reader();
      const lower = await rig.lookUp(analysis[kind], token);
      assert.equal(lower.json['fileName'], analysis.fileName);
      const upper = await rig.lookUp(analysis[kind].toUpperCase(), token);
      assert.equal(upper.text, lower.text);
    });
  }

  it('interprets 64 digits as a SHA-256 first, then as a BLAKE3', async () => {
    const shared = sha256Of(rig.fresh('shared'));
    await rig.analyse(rig.fresh('file'), { blake3Hash: shared, fileName: 'by blake3' });
    const { token } = await rig.reader();
    assert.equal((await rig.lookUp(shared, token)).json['fileName'], 'by blake3');
    await rig.analyse(rig.fresh('file'), { sha256Hash: shared, fileName: 'by sha256' });
    assert.equal((await rig.lookUp(shared, token)).json['fileName'], 'by sha256');
  });

  it('never finds a file by half of its SHA-512', async () => {
    const { sha512Hash } = await rig.analyse(rig.fresh('file'));
    const answer = await rig.lookUp(sha512Hash.slice(0, 64), (await rig.reader()).token);
    assert.equal(answer.status, 404);
  });

  it('answers 404 for a file without an analysis', async () => {
    const answer = await rig.lookUp(MISS, (await rig.reader()).token);
    assert.equal(answer.status, 404);
    assert.equal(answer.code, 'unknown_sample');
  });

  for (const [what, hash] of Object.entries({
    'an MD5': MISS.slice(0, 32),
    'a SHA-1': MISS.slice(0, 40),
    'a digit short': MISS.slice(1),
    'a digit long': `${MISS}0`,
    'not hexadecimal': `g${MISS.slice(1)}`,
    'another script': '%D9%A1'.repeat(64),
    empty: '',
  })) {
    it(`answers 400 for a hash that is ${what}`, async () => {
      const answer = await rig.lookUp(hash, (await rig.reader()).token);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_hash');
      assert.match(String(answer.json['error']), /64 hexadecimal digits.*128 hexadecimal digits/);
    });
  }

  it('answers 401 to a caller without a token', async () => {
    const answer = await rig.ask('GET', `/private/sample/${MISS}`);
    assert.equal(answer.status, 401);
    assert.deepEqual(quotaHeaders(answer), {});
  });

  it('does not find a file that an operator removed', async () => {
    const { sha256Hash, blake3Hash, sha512Hash } = await rig.analyse(rig.fresh('file'));
    await rig.ask('DELETE', `/admin/samples/${sha256Hash}?reason=law`, { token: rig.admin });
    const { token } = await rig.reader();
    for (const hash of [sha256Hash, blake3Hash, sha512Hash])
      assert.equal((await rig.lookUp(hash, token)).status, 404);
  });
});

describe('the lookup quota', () => {
  it('is 1000 a day for a new account', async () => {
    const answer = await rig.lookUp(MISS, (await rig.reader()).token);
    assert.equal(answer.headers['x-ratelimit-limit'], '1000');
    assert.equal(answer.headers['x-ratelimit-remaining'], '999');
  });

  it('loses one unit to a hit, a miss and a malformed hash each', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    for (const [hash, status, left] of [
      [sha256Hash, 200, 9],
      [MISS, 404, 8],
      ['x', 400, 7],
    ] as const) {
      const answer = await rig.lookUp(hash, token);
      assert.equal(answer.status, status);
      assert.equal(answer.headers['x-ratelimit-remaining'], String(left));
      assert.equal(await rig.unitsLeft(token), left);
    }
  });

  it('loses nothing to any other call', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    await rig.get(await rig.service(), MISS, token);
    await rig.ask('GET', '/api/balance', { token });
    await rig.ask('GET', '/api/tokens', { token });
    assert.equal(await rig.unitsLeft(token), 10);
  });

  for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    it(`loses nothing to a ${method}`, async () => {
      const { token } = await rig.reader({ limit: 10, period: 'day' });
      const answer = await rig.ask(method, `/private/sample/${MISS}`, { token });
      assert.equal(answer.status, 405);
      assert.equal(await rig.unitsLeft(token), 10);
    });
  }

  it('loses nothing to a malformed URL', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await rig.ask('GET', '/private/sample/%zz', { token });
    assert.equal(answer.code, 'malformed_request');
    assert.equal(await rig.unitsLeft(token), 10);
  });

  it('is stated on every response, in the older headers and those of the IETF draft', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    const { token } = await rig.reader({ limit: 3, period: 'day' });
    const reset = String(Date.UTC(2026, 7, 27) / 1000);
    for (const [hash, status, left] of [
      [sha256Hash, 200, 2],
      [MISS, 404, 1],
      ['x', 400, 0],
      [sha256Hash, 429, 0],
    ] as const) {
      const answer = await rig.lookUp(hash, token);
      assert.equal(answer.status, status);
      assert.deepEqual(quotaHeaders(answer), {
        'x-ratelimit-limit': '3',
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': reset,
        'ratelimit-policy': '"lookup";q=3;w=86400',
        ratelimit: `"lookup";r=${left};t=50400`,
      });
    }
  });

  it('states a month by its length', async () => {
    const { token } = await rig.reader({ limit: 3, period: 'month' });
    assert.deepEqual(quotaHeaders(await rig.lookUp(MISS, token)), {
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-reset': String(Date.UTC(2026, 8, 1) / 1000),
      'ratelimit-policy': `"lookup";q=3;w=${31 * 86_400}`,
      ratelimit: `"lookup";r=2;t=${5 * 86_400 + 50_400}`,
    });
  });

  it('states no reset if it is prepaid', async () => {
    const { token } = await rig.reader({ limit: 3, period: 'none' });
    assert.deepEqual(quotaHeaders(await rig.lookUp(MISS, token)), {
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'ratelimit-policy': '"lookup";q=3',
      ratelimit: '"lookup";r=2',
    });
  });

  it('refuses at zero with 429 and states the reset', async () => {
    const { token } = await rig.reader({ limit: 1, period: 'day' });
    await rig.lookUp(MISS, token);
    const answer = await rig.lookUp(MISS, token);
    assert.equal(answer.status, 429);
    assert.equal(answer.code, 'quota_exhausted');
    assert.equal(answer.headers['retry-after'], '50400');
    assert.match(String(answer.json['error']), /^No lookups are left/);
  });

  it('has no Retry-After if it never resets', async () => {
    const { token } = await rig.reader({ limit: 0, period: 'none' });
    const answer = await rig.lookUp(MISS, token);
    assert.equal(answer.status, 429);
    assert.equal(answer.headers['retry-after'], undefined);
  });

  it('refuses at zero before the hash is checked', async () => {
    const { token } = await rig.reader({ limit: 0, period: 'day' });
    for (const hash of ['x', MISS, ''])
      assert.equal((await rig.lookUp(hash, token)).code, 'quota_exhausted');
  });

  it('never falls below zero', async () => {
    const { token } = await rig.reader({ limit: 1, period: 'day' });
    for (let attempt = 0; attempt < 5; attempt += 1) await rig.lookUp(MISS, token);
    assert.equal(await rig.unitsLeft(token), 0);
  });

  it('serves exactly the last 50 units to 200 concurrent calls', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    const { token } = await rig.reader({ limit: 50, period: 'day' });
    const hashes = [sha256Hash, MISS, 'x'];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => rig.lookUp(hashes[index % 3] ?? '', token)),
    );
    const served = answers.filter(({ status }) => status !== 429);
    assert.equal(served.length, 50);
    const left = served.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.deepEqual(
      left.sort((one, other) => one - other),
      Array.from({ length: 50 }, (_, index) => index),
    );
    assert.equal(await rig.unitsLeft(token), 0);
  });

  it('is shared by all tokens of an account, and separate for another account', async () => {
    const { token } = await rig.reader({ limit: 1, period: 'day' });
    const issued = await rig.ask('POST', '/api/tokens', { token });
    const other = await rig.reader({ limit: 1, period: 'day' });
    assert.equal((await rig.lookUp(MISS, token)).status, 404);
    assert.equal((await rig.lookUp(MISS, String(issued.json['token']))).status, 429);
    assert.equal((await rig.lookUp(MISS, other.token)).status, 404);
  });

  it('without a limit is stated as the largest number, and still counted', async () => {
    const { token, id } = await rig.reader({ limit: null, period: 'day' });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const answer = await rig.lookUp(MISS, token);
      assert.equal(answer.status, 404);
      assert.equal(answer.headers['x-ratelimit-remaining'], '999999999999999');
    }
    assert.equal(await rig.unitsLeft(token), 999_999_999_999_999);
    const body = { quota: { limit: 5 } };
    await rig.ask('PATCH', `/admin/accounts/${id}`, { token: rig.admin, body });
    assert.equal(await rig.unitsLeft(token), 2);
  });

  it('that is lowered below its usage serves nothing, and is stated as zero', async () => {
    const { token, id } = await rig.reader({ limit: 5, period: 'day' });
    for (let attempt = 0; attempt < 3; attempt += 1) await rig.lookUp(MISS, token);
    const body = { quota: { limit: 2, period: 'day' } };
    await rig.ask('PATCH', `/admin/accounts/${id}`, { token: rig.admin, body });
    const answer = await rig.lookUp(MISS, token);
    assert.equal(answer.status, 429);
    assert.equal(answer.headers['x-ratelimit-remaining'], '0');
  });

  it('takes nothing for a call during which the store fails', async (test) => {
    let failing = true;
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        samples: {
          ...store.samples,
          lookUp: (lookup) =>
            failing ? Promise.reject(new Problem('unavailable')) : store.samples.lookUp(lookup),
        },
      }),
    });
    const { token } = await own.reader({ limit: 2, period: 'day' });
    const failed = await own.lookUp(MISS, token);
    assert.equal(failed.status, 503);
    assert.equal(failed.code, 'unavailable');
    failing = false;
    assert.equal((await own.lookUp(MISS, token)).headers['x-ratelimit-remaining'], '1');
  });
});

describe('the window of the lookup quota', () => {
  it('of a day resets exactly at midnight UTC', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.reader({ limit: 1, period: 'day' });
    own.clock.set('2026-08-26T00:00:00.000Z');
    await own.lookUp(MISS, token);
    own.clock.set('2026-08-26T23:59:59.999Z');
    const refused = await own.lookUp(MISS, token);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '1');
    own.clock.set('2026-08-27T00:00:00.000Z');
    assert.equal(await own.unitsLeft(token), 1);
    assert.equal((await own.lookUp(MISS, token)).status, 404);
    assert.equal((await own.lookUp(MISS, token)).status, 429);
  });

  it('of a month resets exactly at the start of its first day', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.reader({ limit: 1, period: 'month' });
    own.clock.set('2026-12-01T00:00:00.000Z');
    await own.lookUp(MISS, token);
    own.clock.set('2026-12-31T23:59:59.999Z');
    assert.equal((await own.lookUp(MISS, token)).status, 429);
    own.clock.set('2027-01-01T00:00:00.000Z');
    assert.equal((await own.lookUp(MISS, token)).status, 404);
  });

  it('never resets if it is prepaid', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.reader({ limit: 1, period: 'none' });
    await own.lookUp(MISS, token);
    own.clock.set('2036-01-01T00:00:00.000Z');
    assert.equal((await own.lookUp(MISS, token)).status, 429);
  });

  it('does not carry over unused units', async (test) => {
    const own = await ownRig(test);
    const { token } = await own.reader({ limit: 5, period: 'day' });
    await own.lookUp(MISS, token);
    own.clock.set('2026-08-28T00:00:00.000Z');
    assert.equal(await own.unitsLeft(token), 5);
  });

  it('keeps topped-up units, which are spent last and never expire', async (test) => {
    const own = await ownRig(test);
    const { token, id } = await own.reader({ limit: 1, period: 'day' });
    const body = { topUp: 2 };
    await own.ask('PATCH', `/admin/accounts/${id}`, { token: own.admin, body });
    assert.equal(await own.unitsLeft(token), 3);
    await own.lookUp(MISS, token);
    await own.lookUp(MISS, token);
    assert.equal(await own.unitsLeft(token), 1);
    own.clock.set('2026-08-27T00:00:00.000Z');
    assert.equal(await own.unitsLeft(token), 2);
    const statuses = [];
    for (let attempt = 0; attempt < 3; attempt += 1)
      statuses.push((await own.lookUp(MISS, token)).status);
    assert.deepEqual(statuses, [404, 404, 429]);
  });
});
