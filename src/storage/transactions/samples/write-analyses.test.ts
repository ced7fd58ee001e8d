import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnalysisReport } from '../../../domain/samples/analysis-report.ts';
import type { Serializers } from '../../../ports/store.ts';
import { batchesOf } from './write-analyses.ts';

let files = 0;

/** With hashes whose id ranges overlap no others. */
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

/** The lengths of the batches. */
function lengthsOf(reports: readonly AnalysisReport[]): readonly number[] {
  const batches = [...batchesOf(reports, serializers)];
  assert.deepEqual(
    batches.flat().map(({ report }) => report),
    reports,
    'in their order, and all of them',
  );
  return batches.map(({ length }) => length);
}

/** A hash with that prefix of 52 bits. */
const withPrefix = (bits: bigint, length = 64) =>
  bits.toString(16).padStart(13, '0').padEnd(length, 'f');

describe('batches of analyses', () => {
  it('hold all analyses without common rows', () => {
    assert.deepEqual(lengthsOf([]), []);
    assert.deepEqual(lengthsOf([reportOf()]), [1]);
    assert.deepEqual(lengthsOf(Array.from({ length: 50 }, () => reportOf())), [50]);
  });

  it('end before an analysis that shares a hash of any kind', () => {
    const first = reportOf();
    for (const shared of [
      { sha256: first.sha256 },
      { sha512: first.sha512 },
      { blake3: first.blake3 },
      { blake3: first.sha256 },
    ])
      assert.deepEqual(lengthsOf([first, reportOf(), reportOf(shared), reportOf()]), [2, 2]);
  });

  it('end before an analysis whose row id may collide with another', () => {
    const prefix = 0xabcdef01234ffn;
    for (const distance of [0n, 1n, -1n, 15n, -15n]) {
      const [one, other] = [withPrefix(prefix), withPrefix(prefix + distance, 128)];
      assert.deepEqual(lengthsOf([reportOf({ sha256: one }), reportOf({ sha512: other })]), [1, 1]);
    }
    for (const distance of [32n, -32n]) {
      const [one, other] = [withPrefix(prefix), withPrefix(prefix + distance, 128)];
      assert.deepEqual(lengthsOf([reportOf({ sha256: one }), reportOf({ sha512: other })]), [2]);
    }
  });

  it('do not end within an analysis that has the same hash twice', () => {
    const { sha256 } = reportOf();
    assert.deepEqual(lengthsOf([reportOf({ sha256, blake3: sha256 }), reportOf()]), [2]);
  });

  it('are limited in number and in text', () => {
    const many = Array.from({ length: 2050 }, () => reportOf());
    assert.deepEqual(lengthsOf(many), [1000, 1000, 50]);
    const long = (length: number) => reportOf({ fileName: 'a'.repeat(length) });
    assert.deepEqual(lengthsOf([long(900_000), long(900_000), long(900_000)]), [2, 1]);
    assert.deepEqual(lengthsOf([long(1), long(3_000_000), long(1)]), [1, 1, 1]);
  });
});
