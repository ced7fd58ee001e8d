import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStopwatch } from '../../../test/stopwatch.ts';
import type { Analysis } from '../../domain/samples/analysis.ts';
import { parseFileName } from '../../domain/samples/file-name.ts';
import { contradiction } from './contradiction.ts';
import { validateResponse } from './validate-response.ts';

const DIGESTS = {
  md5: 'a'.repeat(32),
  sha1: 'b'.repeat(40),
  sha256: 'c'.repeat(64),
  sha512: 'd'.repeat(128),
  blake3: 'e'.repeat(64),
};

const REPORT = {
  ...DIGESTS,
  date: '2026-08-26T10:00:00.000Z',
  tags: [{ heat: 1, name: 'TEXT' }],
  ssdeep: '3:AIO9AJraNvsgzsVqSwHqiUZ:AeJuOgzskwZ',
  configs: { LANTERN: { C2s: 'evil.example.invalid' } },
  fileName: 'a.txt',
  sizeBytes: 3,
  duration: '00:00:00.0427370',
};

const DETAILS = {
  evidence: [{ tag: 'TEXT', heat: 1, source: 'file', offset: 0 }],
  indicators: [{ kind: 'url', value: 'http://192.0.2.1/', offset: 7 }],
  facts: { file: { type: 'text', entropy: 4.2, list: [1, 'a', null, { b: true }] } },
  members: [],
  c2s: [{ host: 'evil.example.invalid', port: 4444, family: 'LANTERN' }],
};

function withC2(c2: object) {
  return answer({}, { c2s: [{ ...DETAILS.c2s[0], ...c2 }] });
}

function answer(report: object = {}, details: object = {}) {
  return {
    kind: 'done',
    rssBytes: 1,
    analysis: { report: { ...REPORT, ...report }, details: { ...DETAILS, ...details } },
  };
}

/** As it arrives over the pipe. */
function check(value: unknown): ReturnType<typeof validateResponse> {
  return validateResponse(JSON.parse(JSON.stringify(value)));
}

describe('the response of a worker', () => {
  it('is accepted if it is valid, with its date as a `Date`', () => {
    const checked = check(answer());
    assert.ok(typeof checked === 'object' && checked.kind === 'done');
    assert.deepEqual(checked.analysis.report.date, new Date(REPORT.date));
  });

  const wrong: readonly [string, unknown, RegExp][] = [
    ['is no object', 7, /./],
    ['is of no known kind', { kind: 'else' }, /kind/],
    ['has a member more', { ...answer(), token: 'x' }, /token|Unrecognized/],
    ['lacks a digest', answer({ md5: undefined }), /report\.md5/],
    ['has a digest in capitals', answer({ md5: 'A'.repeat(32) }), /report\.md5/],
    ['has a heat of 11', answer({ tags: [{ heat: 11, name: 'A' }] }), /tags\.0\.heat/],
    ['has a tag in small letters', answer({ tags: [{ heat: 1, name: 'a' }] }), /tags\.0\.name/],
    [
      'has 65 tags',
      answer({ tags: Array.from({ length: 65 }, (_, at) => ({ heat: 1, name: `T${at}` })) }),
      /report\.tags/,
    ],
    ['has a nested setting', answer({ configs: { A: { B: { C: '' } } } }), /configs\.A\.B/],
    ['has a family in small letters', answer({ configs: { a: {} } }), /configs/],
    ['has a name that is too long', answer({ fileName: 'x'.repeat(1025) }), /fileName/],
    ['has a negative size', answer({ sizeBytes: -1 }), /sizeBytes/],
    ['has another form of duration', answer({ duration: '1s' }), /duration/],
    [
      'has an unknown indicator',
      answer({}, { indicators: [{ kind: 'x', value: '', offset: 0 }] }),
      /kind/,
    ],
    [
      'has an offset that is no number',
      answer({}, { evidence: [{ tag: 'A', heat: 1, source: '', offset: '1' }] }),
      /offset/,
    ],
    ['has a C2 that is no address', withC2({ host: 'evil example' }), /c2s\.0/],
    ['has a C2 in another form', withC2({ host: 'Evil.example.invalid' }), /c2s\.0/],
    ['has a C2 without a port', withC2({ port: 0 }), /c2s\.0/],
    ['has a C2 of no family', withC2({ family: '' }), /c2s\.0\.family/],
    ['has 1001 C2s', answer({}, { c2s: Array(1001).fill(DETAILS.c2s[0]) }), /c2s/],
    ['has no list of C2s', answer({}, { c2s: undefined }), /c2s/],
  ];
  for (const [what, value, problem] of wrong) {
    it(`is refused if it ${what}`, () => {
      const checked = check(value);
      assert.ok(typeof checked === 'string');
      assert.match(checked, problem);
    });
  }

  it('must not contradict what the server knows', () => {
    const checked = check(answer());
    assert.ok(typeof checked === 'object' && checked.kind === 'done');
    const { analysis }: { analysis: Analysis } = checked;
    const known = { fileName: 'a.txt', sizeBytes: 3 };
    assert.equal(contradiction(analysis, known), undefined);
    assert.equal(contradiction(analysis, { ...known, digests: DIGESTS }), undefined);
    assert.match(contradiction(analysis, { ...known, sizeBytes: 4 }) ?? '', /sizeBytes/);
    assert.match(contradiction(analysis, { ...known, fileName: 'b' }) ?? '', /fileName/);
    const digests = { ...DIGESTS, sha1: '0'.repeat(40) };
    assert.match(contradiction(analysis, { ...known, digests }) ?? '', /sha1/);
  });

  it('may contain any file name that an upload may have', () => {
    const fileName = parseFileName('\u{1f600}'.repeat(300)) ?? '';
    assert.ok(fileName.length > 255);
    assert.equal(typeof check(answer({ fileName })), 'object');
  });

  it('is refused before the check takes too long', () => {
    let tower: unknown = 'x';
    for (let floor = 0; floor < 100_000; floor += 1) tower = [tower];
    const wide = Array.from({ length: 500_000 }, () => []);
    for (const fact of [tower, wide]) {
      const spent = startStopwatch();
      const checked = validateResponse(answer({}, { facts: { file: { fact } } }));
      assert.match(String(checked), /too many values, or is nested too deep/);
      assert.ok(spent() < 1000);
    }
  });

  it('is refused without quoting the sample', () => {
    const name = 'secret of a sample'.repeat(1000);
    const checked = check(answer({}, { facts: { file: { [name]: 1 } } }));
    assert.ok(typeof checked === 'string');
    assert.doesNotMatch(checked, /secret/);
  });
});
