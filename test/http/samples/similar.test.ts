import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256Of } from '../../builders.ts';
import { openRig } from '../http-rig.ts';

const rig = await openRig();
after(() => rig.close());

const MISS = sha256Of('a file that was never analysed');
const SSDEEP =
  '96:s4Ud1Lj96tHHlZDrwciQmA+4uy1I0G4HYuL8N3TzS8QsO/wqWXLcMSx:sF1LjEtHHlZDrJzrhuyZvHYm8tKp/RWO';
/** Differs from the other in one character of each half. */
const ALIKE = SSDEEP.replace('4Ud1', '4Ud2').replace('sF1L', 'sF2L');
const OTHER = '48:9MABzSwnjpDeSrLp8+nagE4f3ZMvcDT0MIhqy6Ic:9XMwnjdeSHS+n5ZfScX0MJ7';

const first = await rig.analyse('first', { ssDeep: SSDEEP });
const second = await rig.analyse('second', { ssDeep: ALIKE });
const same = await rig.analyse('same', { ssDeep: SSDEEP });
await rig.analyse('other', { ssDeep: OTHER });

const similarTo = (hash: string, token: string) =>
  rig.ask('GET', `/private/similar/${hash}`, { token });
const similarToSsdeep = (query: string, token: string) =>
  rig.ask('GET', `/private/similar${query}`, { token });
const ofSsdeep = (ssdeep: string) => `?ssdeep=${encodeURIComponent(ssdeep)}`;

describe('files similar to a known one', () => {
  it('are listed best match first, without the file itself, for one unit', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await similarTo(first.sha256Hash, token);
    assert.equal(answer.status, 200);
    const { similar, successful } = answer.json as {
      similar: { sha256Hash: string; score: number; fileName: string; tags: unknown }[];
      successful: boolean;
    };
    assert.equal(successful, true);
    assert.deepEqual(
      similar.map(({ sha256Hash }) => sha256Hash),
      [same.sha256Hash, second.sha256Hash],
    );
    assert.equal(similar[0]?.score, 100);
    assert.ok((similar[1]?.score ?? 0) > 80 && (similar[1]?.score ?? 0) < 100);
    assert.equal(similar[1]?.fileName, second.fileName);
    assert.deepEqual(similar[1]?.tags, second.tags);
    assert.equal(answer.headers['x-ratelimit-remaining'], '9');
    assert.equal(await rig.unitsLeft(token), 9);
  });

  it('are found by any hash of it, in any case', async () => {
    const { token } = await rig.reader();
    const expected = (await similarTo(first.sha256Hash, token)).text;
    for (const hash of [first.blake3Hash, first.sha512Hash, first.sha256Hash.toUpperCase()])
      assert.equal((await similarTo(hash, token)).text, expected);
  });

  it('may be none', async () => {
    const { sha256Hash } = await rig.analyse(rig.fresh('file'), { ssDeep: '3::' });
    const answer = await similarTo(sha256Hash, (await rig.reader()).token);
    assert.deepEqual(answer.json, { similar: [], successful: true });
  });

  it('are refused like a lookup, for one unit each', async () => {
    const pending = await rig.uploaded(rig.fresh('bytes'));
    const { token } = await rig.reader({ limit: 3, period: 'day' });
    for (const [hash, status, code, left] of [
      [MISS, 404, 'unknown_sample', 2],
      [pending, 404, 'analysis_pending', 1],
      ['x', 400, 'invalid_hash', 0],
      ['x', 429, 'quota_exhausted', 0],
      [first.sha256Hash, 429, 'quota_exhausted', 0],
    ] as const) {
      const answer = await similarTo(hash, token);
      assert.equal(answer.status, status);
      assert.equal(answer.code, code);
      assert.equal(answer.headers['x-ratelimit-remaining'], String(left));
      assert.equal(await rig.unitsLeft(token), left);
    }
  });

  it('are at most fifty', async (test) => {
    const own = await openRig();
    test.after(() => own.close());
    for (let index = 0; index < 60; index += 1)
      await own.analyse(`file ${index}`, { ssDeep: SSDEEP });
    const answer = await own.ask('GET', `/private/similar/${sha256Of('file 0')}`, {
      token: (await own.reader()).token,
    });
    assert.equal((answer.json['similar'] as unknown[]).length, 50);
  });

  it('do not include removed ones', async () => {
    const gone = await rig.analyse(rig.fresh('file'), { ssDeep: SSDEEP });
    await rig.ask('DELETE', `/admin/samples/${gone.sha256Hash}`, { token: rig.admin });
    const answer = await similarTo(first.sha256Hash, (await rig.reader()).token);
    assert.doesNotMatch(answer.text, new RegExp(gone.sha256Hash));
  });
});

describe('files similar to a fuzzy hash', () => {
  it('include those with the same fuzzy hash, for one unit', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await similarToSsdeep(ofSsdeep(SSDEEP), token);
    assert.equal(answer.status, 200);
    const hashes = (answer.json['similar'] as { sha256Hash: string }[]).map(
      ({ sha256Hash }) => sha256Hash,
    );
    assert.deepEqual(new Set(hashes.slice(0, 2)), new Set([first.sha256Hash, same.sha256Hash]));
    assert.equal(hashes[2], second.sha256Hash);
    assert.equal(await rig.unitsLeft(token), 9);
  });

  it('may be none', async () => {
    const answer = await similarToSsdeep(
      ofSsdeep('12:abcdefghijklmnop:qrstuvwxyz'),
      (await rig.reader()).token,
    );
    assert.deepEqual(answer.json, { similar: [], successful: true });
  });

  for (const query of [
    '',
    '?ssdeep=',
    '?ssdeep=x',
    ofSsdeep('7:abc:def'),
    `${ofSsdeep(SSDEEP)}&ssdeep=x`,
    '?ssdeep[]=x',
    ofSsdeep(`3:${'a'.repeat(5000)}:b`),
  ]) {
    it(`are refused for an invalid fuzzy hash, for one unit: ${query.slice(0, 40)}`, async () => {
      const { token } = await rig.reader({ limit: 1, period: 'day' });
      const answer = await similarToSsdeep(query, token);
      assert.equal(answer.status, 400);
      assert.equal(answer.code, 'invalid_ssdeep');
      assert.equal(answer.headers['x-ratelimit-remaining'], '0');
      assert.equal((await similarToSsdeep(query, token)).code, 'quota_exhausted');
    });
  }

  it('are refused without a token', async () => {
    assert.equal((await rig.ask('GET', `/private/similar${ofSsdeep(SSDEEP)}`)).status, 401);
    assert.equal((await rig.ask('GET', `/private/similar/${MISS}`)).status, 401);
  });
});

describe('files close by TLSH', async () => {
  const TLSH = 'T16D119524E6514D7D1F175ADCD04E44DF554FCDE302C5002517F186D1C510294440ED1D';
  /** The checksum differs, and one bucket by one step. */
  const NEAR = 'T17D119524E6514D7D1F175ADCD04E44DF554FCDE302C5002517F186D1C510294440ED1C';
  const analysed = async (content: string, tlsh: string) => {
    const sha256 = await rig.uploaded(content, { fileName: content });
    await rig.finish(sha256, {}, { tlsh });
    return sha256;
  };
  const one = await analysed('one', TLSH);
  const near = await analysed('near', NEAR);

  it('are found by the hash of a file, for one unit', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await rig.ask('GET', `/private/similar/${one}?by=tlsh`, { token });
    assert.equal(answer.status, 200);
    const tags = [{ heat: 1, name: 'TEXT' }];
    assert.deepEqual(answer.json, {
      similar: [{ sha256Hash: near, score: 0, distance: 2, fileName: 'near', tags }],
      successful: true,
    });
    assert.equal(await rig.unitsLeft(token), 9);
  });

  it('are found by a digest, with or without its version', async () => {
    const { token } = await rig.reader();
    for (const tlsh of [TLSH, TLSH.slice(2).toLowerCase()]) {
      const answer = await rig.ask('GET', `/private/similar?tlsh=${tlsh}`, { token });
      const found = answer.json['similar'] as { sha256Hash: string; distance: number }[];
      assert.deepEqual(
        found.map(({ sha256Hash, distance }) => [sha256Hash, distance]),
        [
          [one, 0],
          [near, 2],
        ],
      );
    }
  });

  it('are refused for an imported file, which has no digest, for one unit', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await rig.ask('GET', `/private/similar/${first.sha256Hash}?by=tlsh`, { token });
    assert.deepEqual([answer.status, answer.code], [404, 'no_tlsh']);
    assert.equal(await rig.unitsLeft(token), 9);
  });

  it('are refused for another measure, without a unit', async () => {
    const { token } = await rig.reader({ limit: 10, period: 'day' });
    const answer = await rig.ask('GET', `/private/similar/${one}?by=sdhash`, { token });
    assert.deepEqual([answer.status, answer.code], [400, 'invalid_query']);
    assert.equal(await rig.unitsLeft(token), 10);
  });

  for (const query of [
    '?tlsh=',
    '?tlsh=T1',
    `?tlsh=${TLSH}0`,
    `?tlsh=${TLSH}&tlsh=${TLSH}`,
    `?tlsh=${TLSH}&ssdeep=3::`,
  ]) {
    it(`are refused for an invalid digest, for one unit: ${query.slice(0, 20)}`, async () => {
      const { token } = await rig.reader({ limit: 1, period: 'day' });
      const answer = await rig.ask('GET', `/private/similar${query}`, { token });
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_tlsh']);
      assert.equal(answer.headers['x-ratelimit-remaining'], '0');
    });
  }
});
