import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showAnalysis, showBalance, showDetails, showQuota, visible } from './show.ts';

const ANALYSIS = {
  date: '2026-08-26T10:00:00Z',
  tags: [
    { heat: 3, name: 'packed' },
    { heat: 10, name: 'LANTERN' },
  ],
  ssDeep: '3:abc:def',
  configs: { LANTERN: { C2s: 'evil.example', Ports: [4444, 4445] }, EMPTY: {} },
  mD5Hash: 'a'.repeat(32),
  fileName: 'invoice.exe',
  sha1Hash: 'b'.repeat(40),
  blake3Hash: 'c'.repeat(64),
  sha256Hash: 'd'.repeat(64),
  sha512Hash: 'e'.repeat(128),
  sizeInBytes: 68,
  staticAnalysisDuration: '00:00:00.0427370',
};

describe('an analysis report on a terminal', () => {
  it('sorts the tags by heat', () => {
    assert.match(showAnalysis(ANALYSIS), /hottest first:\n {2}10 {2}LANTERN\n {3}3 {2}packed\n/);
  });

  it('has every hash and every setting', () => {
    const text = showAnalysis(ANALYSIS);
    for (const hash of [ANALYSIS.mD5Hash, ANALYSIS.sha1Hash, ANALYSIS.sha512Hash])
      assert.ok(text.includes(hash));
    assert.match(text, /config LANTERN:\n {2}C2s {4}evil\.example\n {2}Ports {2}\[4444,4445\]\n/);
    assert.match(text, /config EMPTY:\n {2}-$/);
  });

  it('contains no control characters', () => {
    const hostile = showAnalysis({
      ...ANALYSIS,
      fileName: 'invoice\u001b[2Jfdp.exe',
      tags: [{ heat: 1, name: 'a\u202eb' }],
      configs: { 'F\u009b': { 'k\r': 'v\u0007', list: ['\u202e'] } },
    });
    // Only line ends remain.
    assert.deepEqual([...new Set(hostile.match(/\p{C}/gu))], ['\n']);
  });
});

describe('showDetails', () => {
  const details = { evidence: [], indicators: [], facts: {}, members: [] };

  it('shows the C2 addresses with their family', () => {
    const c2s = [{ host: '2001:db8::7', port: 4444, family: 'XWORM' }];
    assert.equal(
      showDetails({ ...details, c2s }, false),
      '\nC2 addresses:\n  [2001:db8::7]:4444  (XWORM)',
    );
  });

  it('accepts details without C2 addresses', () => {
    assert.equal(showDetails(details, false), '');
  });
});

describe('showQuota', () => {
  it('shows when the quota resets', () => {
    const quota = { limit: 5, remaining: 2, resetsAt: '2026-08-27T00:00:00Z' };
    assert.equal(
      showQuota(quota),
      '2 lookups are left; the quota of 5 resets at 2026-08-27T00:00:00Z.',
    );
  });

  it('shows no reset if there is none', () => {
    assert.equal(showQuota({ limit: 5, remaining: 1, resetsAt: null }), '1 lookup is left.');
  });

  it('supports an account without a limit', () => {
    const none = { limit: null, remaining: null, resetsAt: null };
    assert.equal(showQuota(none), 'Lookups are not limited.');
    const created_at = '2026-08-26T10:00:00Z';
    const text = showBalance({
      requests_left: 999_999_999_999_999,
      expiration_date: '9999-12-31T23:59:59Z',
      created_at,
    });
    assert.match(text, /^lookups left {3}unlimited\n/);
    assert.match(text, /^expires {8}never$/m);
  });
});

describe('visible', () => {
  it('does not change printable text', () => {
    assert.equal(visible('Grüße, 世界 <ok>'), 'Grüße, 世界 <ok>');
  });
});
