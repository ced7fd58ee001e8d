import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Problem } from '../../../src/domain/problem.ts';
import { sha256Of } from '../../builders.ts';
import { openRig, ownRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const MISS = sha256Of('a file that was never analysed');
const fresh = () => rig.fresh('the bytes of a file');

function many(token: string, hashes: unknown) {
  return rig.ask('POST', '/private/samples', { token, body: { hashes } });
}

describe('the status of a sample', () => {
  const statusOf = async (hash: string, token?: string) =>
    rig.ask('GET', `/private/sample/${hash}/status`, {
      token: token ?? (await rig.reader({ limit: 0, period: 'none' })).token,
    });

  it('changes from unknown to queued, running and done, and costs nothing', async () => {
    const bytes = fresh();
    assert.deepEqual((await statusOf(MISS)).json, { status: 'unknown' });
    const sha256 = await rig.uploaded(bytes);
    assert.deepEqual((await statusOf(sha256)).json, { status: 'queued' });
    await rig.deps.store.samples.start(sha256);
    assert.deepEqual((await statusOf(sha256)).json, { status: 'running' });
    await rig.finish(sha256);
    assert.deepEqual((await statusOf(sha256)).json, { status: 'done' });
  });

  it('states why the analysis failed', async () => {
    const sha256 = await rig.uploaded(fresh());
    await rig.fail(sha256, 'The analysis took too long and was ended.');
    assert.deepEqual((await statusOf(sha256)).json, {
      status: 'failed',
      reason: 'The analysis took too long and was ended.',
    });
  });

  it('is found by any hash, in any case', async () => {
    const sha256 = await rig.uploaded(fresh());
    const hash = { hex: sha256, kinds: ['sha256'] as const };
    const { digests } = (await rig.deps.store.samples.find(hash)) ?? assert.fail();
    for (const text of [digests.blake3, digests.sha512, sha256.toUpperCase()])
      assert.equal((await statusOf(text)).json['status'], 'queued');
  });

  it('of a file whose analysis was imported is done', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    assert.deepEqual((await statusOf(sha256Hash)).json, { status: 'done' });
  });

  it('is refused for an invalid hash', async () => {
    for (const text of ['x', MISS.slice(1), '']) {
      const answer = await statusOf(text);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_hash');
    }
  });

  it('is refused without a token', async () => {
    assert.equal((await rig.ask('GET', `/private/sample/${MISS}/status`)).status, 401);
  });
});

describe('a lookup of a sample that is being analysed', () => {
  it('is 404 with a code of its own, takes its unit, and has Retry-After', async () => {
    const sha256 = await rig.uploaded(fresh());
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    for (const left of [9, 8]) {
      const answer = await rig.lookUp(sha256, token);
      assert.equal(answer.status, 404);
      assert.equal(answer.code, 'analysis_pending');
      assert.equal(answer.headers['retry-after'], '1');
      assert.equal(answer.headers['x-ratelimit-remaining'], String(left));
      await rig.deps.store.samples.start(sha256);
    }
  });

  it('finds the analysis afterwards, with the name of the upload', async () => {
    const sha256 = await rig.uploaded(fresh(), { fileName: 'evil.exe' });
    await rig.finish(sha256);
    const answer = await rig.lookUp(sha256, (await rig.reader()).token);
    assert.equal(answer.status, 200);
    assert.equal(answer.json['fileName'], 'evil.exe');
  });

  it('is an ordinary 404 if the analysis failed', async () => {
    const sha256 = await rig.uploaded(fresh());
    await rig.fail(sha256);
    const answer = await rig.lookUp(sha256, (await rig.reader()).token);
    assert.equal(answer.code, 'unknown_sample');
  });
});

describe('many lookups in one call', () => {
  it('are answered in order, each like a lookup, with the hashes as they were sent', async () => {
    const one = await rig.analyse(rig.fresh('file'));
    const other = await rig.analyse(rig.fresh('file'));
    const pending = await rig.uploaded(fresh());
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const sent = [one.sha512Hash.toUpperCase(), 'x"\u2028', MISS, pending, other.blake3Hash];
    const answer = await many(token, sent);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, {
      results: [
        { hash: sent[0], status: 200, report: one },
        { hash: sent[1], status: 400 },
        { hash: sent[2], status: 404 },
        { hash: sent[3], status: 404 },
        { hash: sent[4], status: 200, report: other },
      ],
      successful: true,
    });
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers['x-ratelimit-remaining'], '5');
    assert.equal(answer.headers['ratelimit'], '"lookup";r=5;t=50400');
    assert.equal(await rig.unitsLeft(token), 5);
  });

  it('take one unit each, even for a repeated hash', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    await many(token, [MISS, MISS, MISS]);
    assert.equal(await rig.unitsLeft(token), 7);
  });

  it('take exactly the remaining units', async () => {
    const { token } = await rig.reader({ limit: 3, period: 'day' });
    assert.equal((await many(token, [MISS, MISS, MISS])).status, 200);
    const answer = await many(token, [MISS]);
    assert.equal(answer.status, 429);
    assert.equal(answer.code, 'quota_exhausted');
  });

  it('take nothing if too few units remain, and state how many', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'));
    const { token } = await rig.reader({ limit: 2, period: 'day' });
    const answer = await many(token, [sha256Hash, MISS, MISS]);
    assert.equal(answer.status, 429);
    assert.equal(answer.code, 'quota_insufficient');
    assert.equal(
      answer.json['error'],
      'This call needs 3 lookups, but 2 are left. None was charged.',
    );
    assert.equal(answer.headers['x-ratelimit-remaining'], '2');
    assert.equal(answer.headers['retry-after'], '50400');
    assert.equal(await rig.unitsLeft(token), 2);
  });

  it('have no Retry-After if the quota is prepaid', async () => {
    const { token } = await rig.reader({ limit: 1, period: 'none' });
    const answer = await many(token, [MISS, MISS]);
    assert.equal(answer.code, 'quota_insufficient');
    assert.equal(answer.headers['retry-after'], undefined);
  });

  it('are all served or none, even for concurrent calls', async () => {
    const { token } = await rig.reader({ limit: 50, period: 'day' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => many(token, [MISS, 'x', MISS])),
    );
    const served = answers.filter(({ status }) => status === 200);
    assert.equal(served.length, 16);
    assert.equal(await rig.unitsLeft(token), 2);
  });

  it('are counted without a limit as well', async () => {
    const { token } = await rig.reader({ limit: null, period: 'day' });
    const answer = await many(token, [MISS, MISS]);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['x-ratelimit-remaining'], '999999999999999');
  });

  it('may be a hundred', async () => {
    const { token } = await rig.reader();
    const answer = await many(token, Array(100).fill('AB'.repeat(64)));
    assert.equal((answer.json['results'] as unknown[]).length, 100);
  });

  for (const [what, hashes] of [
    ['none', []],
    ['a hundred and one', Array(101).fill(MISS)],
    ['no list', MISS],
    ['a list with a number', [MISS, 5]],
    ['a list with a gap', [null]],
    ['nothing', undefined],
  ] as const) {
    it(`are refused for ${what}, and nothing is taken`, async () => {
      const { token } = await rig.reader({ limit: 10, period: 'day' });
      const answer = await many(token, hashes);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_body');
      assert.match(String(answer.json['error']), /must be a list of 1 to 100 texts\.$/);
      assert.equal(await rig.unitsLeft(token), 10);
    });
  }

  it('are refused for unknown members', async () => {
    const { token } = await rig.reader();
    const body = { hashes: [MISS], hash: MISS };
    const answer = await rig.ask('POST', '/private/samples', { token, body });
    assert.match(String(answer.json['error']), /"hash" is not known here/);
  });

  it('take nothing if the store fails', async (test) => {
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        samples: {
          ...store.samples,
          lookUpMany: () => Promise.reject(new Problem('unavailable')),
        },
      }),
    });
    const { token } = await own.reader({ limit: 10, period: 'day' });
    const answer = await own.ask('POST', '/private/samples', { token, body: { hashes: [MISS] } });
    assert.equal(answer.status, 503);
    assert.equal(await own.unitsLeft(token), 10);
  });
});

describe('the details of an analysis', () => {
  const detailsOf = (hash: string, token: string) =>
    rig.ask('GET', `/private/sample/${hash}/details`, { token });

  it('have the evidence of the analysis, for one unit', async () => {
    const sha256 = await rig.uploaded(fresh());
    const { details } = await rig.finish(sha256);
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await detailsOf(sha256.toUpperCase(), token);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json, { details, successful: true });
    assert.equal(answer.headers['x-ratelimit-remaining'], '9');
    assert.equal(await rig.unitsLeft(token), 9);
  });

  it('are refused like a lookup, for one unit each', async () => {
    const pending = await rig.uploaded(fresh());
    const { sha256Hash: imported } = await rig.analyse(rig.fresh('file'));
    const { token } = await rig.reader({ limit: 4, period: 'day' });
    for (const [hash, status, code, left] of [
      [MISS, 404, 'unknown_sample', 3],
      [pending, 404, 'analysis_pending', 2],
      [imported, 404, 'unknown_details', 1],
      ['x', 400, 'invalid_hash', 0],
      [imported, 429, 'quota_exhausted', 0],
    ] as const) {
      const answer = await detailsOf(hash, token);
      assert.equal(answer.status, status);
      assert.equal(answer.code, code);
      assert.equal(answer.headers['x-ratelimit-remaining'], String(left));
    }
  });

  it('come with the report for the same unit', async () => {
    const sha256 = await rig.uploaded(fresh());
    const { details } = await rig.finish(sha256);
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const both = (hash: string, flag = 'true') =>
      rig.ask('GET', `/private/sample/${hash}/details?report=${flag}`, { token });
    const answer = await both(sha256);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.json), ['report', 'details', 'successful']);
    assert.deepEqual(answer.json['details'], details);
    assert.deepEqual(answer.json['report'], (await rig.lookUp(sha256, token)).json);
    assert.equal(answer.headers['x-ratelimit-remaining'], '9');
    assert.deepEqual((await both(sha256, 'false')).json, { details, successful: true });
    assert.equal(await rig.unitsLeft(token), 7);
    // An imported report has none, and a large one is charged once.
    const { sha256Hash } = await rig.analyse(rig.fresh('file'), {
      configs: { LANTERN: { key: 'x'.repeat(40_000) } },
    });
    const imported = await both(sha256Hash);
    assert.equal(imported.status, 200);
    assert.equal(imported.json['details'], null);
    assert.equal(await rig.unitsLeft(token), 6);
    assert.equal((await both(MISS)).code, 'unknown_sample');
    assert.equal((await both('x')).code, 'invalid_hash');
    assert.equal(await rig.unitsLeft(token), 4);
    // A query that is wrong costs nothing.
    assert.equal((await both(sha256, 'yes')).code, 'invalid_query');
    assert.equal(await rig.unitsLeft(token), 4);
  });

  it('cost nothing if the store fails', async (test) => {
    const own = await ownRig(test, {
      between: (store) => ({
        ...store,
        samples: { ...store.samples, details: () => Promise.reject(new Problem('unavailable')) },
      }),
    });
    const { token } = await own.reader({ limit: 10, period: 'day' });
    const answer = await own.ask('GET', `/private/sample/${MISS}/details`, { token });
    assert.equal(answer.status, 503);
    assert.equal(await own.unitsLeft(token), 10);
  });
});

describe('removing a sample', () => {
  const remove = (sha256: string) =>
    rig.ask('DELETE', `/admin/samples/${sha256}?reason=law`, { token: rig.admin });

  it('removes its file, its analysis and its details', async () => {
    const sha256 = await rig.uploaded(fresh());
    await rig.finish(sha256);
    assert.equal((await remove(sha256)).status, 200);
    assert.equal(await rig.deps.files.has(sha256), false);
    const { token } = await rig.reader();
    assert.equal((await rig.lookUp(sha256, token)).code, 'unknown_sample');
    const details = await rig.ask('GET', `/private/sample/${sha256}/details`, { token });
    assert.equal(details.code, 'unknown_sample');
  });

  it('works before there is an analysis, and ends the job', async () => {
    const before = await rig.countJobs();
    const sha256 = await rig.uploaded(fresh());
    assert.equal((await remove(sha256)).status, 200);
    assert.equal(await rig.deps.files.has(sha256), false);
    assert.equal(await rig.countJobs(), before);
    assert.equal((await rig.audit())[0]?.['action'], 'sample.purge');
  });

  it('is 404 for an unknown sample', async () => {
    assert.equal((await remove(MISS)).status, 404);
  });
});
