import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnalysisReport } from '../../../domain/samples/analysis-report.ts';
import type { Serializers } from '../../../ports/store.ts';
import { runsOf } from './write-analyses.ts';

let files = 0;

/** Of hashes that are far from those of all others. */
function reportOf(members: Partial<AnalysisReport> = {}): AnalysisReport {
  files += 1;
  const hash = (kind: number, length: number) =>
    `${kind}${files.toString(16).padStart(5, '0')}`.padEnd(length, '0');
  return {
    date: new Date(0),
    tags: [],
    ssdeep: '',
    configs: {},
    md5: '',
    sha1: '',
    sha256: hash(1, 64),
    sha512: hash(2, 128),
    blake3: hash(3, 64),
    fileName: '',
    sizeBytes: 0,
    duration: '',
    ...members,
  };
}

const serializers: Serializers = {
  report: () => assert.fail('no report of a feed'),
  analysis: ({ fileName }) => fileName,
};

/** How long the runs are. */
function lengthsOf(reports: readonly AnalysisReport[]): readonly number[] {
  const runs = [...runsOf(reports, serializers)];
  assert.deepEqual(
    runs.flat().map(({ report }) => report),
    reports,
    'in their order, and all of them',
  );
  return runs.map(({ length }) => length);
}

/** A hash that begins with that number of 52 bits. */
const beginning = (bits: bigint, length = 64) =>
  bits.toString(16).padStart(13, '0').padEnd(length, 'f');

describe('runs of reports', () => {
  it('hold all that have nothing in common', () => {
    assert.deepEqual(lengthsOf([]), []);
    assert.deepEqual(lengthsOf([reportOf()]), [1]);
    assert.deepEqual(lengthsOf(Array.from({ length: 50 }, () => reportOf())), [50]);
  });

  it('end before one that shares a hash, of whichever kind', () => {
    const first = reportOf();
    for (const shared of [
      { sha256: first.sha256 },
      { sha512: first.sha512 },
      { blake3: first.blake3 },
      { blake3: first.sha256 },
    ])
      assert.deepEqual(lengthsOf([first, reportOf(), reportOf(shared), reportOf()]), [2, 2]);
  });

  it('end before one whose row may take the place of another', () => {
    const place = 0xabcdef01234ffn;
    for (const distance of [0n, 1n, -1n, 15n, -15n]) {
      const [one, other] = [beginning(place), beginning(place + distance, 128)];
      assert.deepEqual(lengthsOf([reportOf({ sha256: one }), reportOf({ sha512: other })]), [1, 1]);
    }
    for (const distance of [32n, -32n]) {
      const [one, other] = [beginning(place), beginning(place + distance, 128)];
      assert.deepEqual(lengthsOf([reportOf({ sha256: one }), reportOf({ sha512: other })]), [2]);
    }
  });

  it('leave together what one report has in common with itself', () => {
    const { sha256 } = reportOf();
    assert.deepEqual(lengthsOf([reportOf({ sha256, blake3: sha256 }), reportOf()]), [2]);
  });

  it('do not grow without end, by their number or by their text', () => {
    const many = Array.from({ length: 450 }, () => reportOf());
    assert.deepEqual(lengthsOf(many), [200, 200, 50]);
    const long = (length: number) => reportOf({ fileName: 'a'.repeat(length) });
    assert.deepEqual(lengthsOf([long(900_000), long(900_000), long(900_000)]), [2, 1]);
    assert.deepEqual(lengthsOf([long(1), long(3_000_000), long(1)]), [1, 1, 1]);
  });
});
