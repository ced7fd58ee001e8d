import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Analysis } from '../../domain/samples/analysis.ts';
import { LIMITS } from '../limits.ts';
import { rankTags } from '../tags.ts';
import { trimAnalysis } from './trim-analysis.ts';

const MEMBER = { path: 'あ'.repeat(1000), sizeBytes: 1, sha256: '0'.repeat(64), type: 'data' };
const INDICATOR = {
  kind: 'url',
  value: `http://192.0.2.1/${'x'.repeat(1000)}`,
  offset: 0,
} as const;

function analysisOf(details: Partial<Analysis['details']>): Analysis {
  const evidence = details.evidence ?? [{ tag: 'ZIP', heat: 1, source: 'zip' }];
  return {
    report: {
      date: new Date(0),
      tags: rankTags(evidence),
      ssdeep: '3::',
      configs: {},
      md5: '',
      sha1: '',
      sha256: '',
      sha512: '',
      blake3: '',
      fileName: 'a',
      sizeBytes: 1,
      duration: '',
    },
    details: { indicators: [], facts: {}, members: [], c2s: [], ...details, evidence },
  };
}

function many<One>(count: number, one: One): One[] {
  return Array.from({ length: count }, () => one);
}

describe('an analysis', () => {
  it('is unchanged if it is not too long', () => {
    const analysis = analysisOf({ members: [MEMBER], indicators: [INDICATOR] });
    assert.deepEqual(trimAnalysis(analysis), analysis);
  });

  it('loses its members first, and reports it', () => {
    const members = many(2000, MEMBER);
    const { report, details } = trimAnalysis(analysisOf({ members, indicators: [INDICATOR] }));
    assert.deepEqual(details.members, []);
    assert.deepEqual(details.indicators, [INDICATOR]);
    assert.ok(report.tags.some(({ name }) => name === 'LIMIT_EXCEEDED'));
    assert.equal(
      details.evidence.at(-1)?.note,
      'members: omitted, because the analysis is too long',
    );
  });

  it('is never longer than the pool accepts', () => {
    const analysis = analysisOf({
      members: many(2000, MEMBER),
      indicators: many(9000, INDICATOR),
      facts: { pe: { text: 'x'.repeat(5_000_000) } },
    });
    assert.ok(JSON.stringify(trimAnalysis(analysis)).length < LIMITS.responseBytes);
  });

  it('has no evidence for tags beyond the limit', () => {
    const evidence = Array.from({ length: 3000 }, (_, at) => ({
      tag: `RULE_${at}`,
      heat: 1 + (at % 10),
      source: 'rule:local/all',
    }));
    const { report, details } = trimAnalysis(analysisOf({ evidence }));
    assert.equal(report.tags.length, LIMITS.tags);
    assert.equal(details.evidence.length, LIMITS.tags);
    assert.ok(details.evidence.every(({ heat }) => heat === 10));
  });
});
