import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, indicatorsOf, toCsv } from './exported-results.ts';

const HASH = 'ab'.repeat(32);
const results = [
  {
    type: 'report',
    match: 'c2',
    report: {
      id: 'id-1',
      name: '=RAT',
      c2Address: 'evil.example:1',
      tags: ['a', 'b'],
      service: 'ply',
      status: 'open',
      reportedAt: '2026-08-26 10:00:00',
      file256Hash: HASH,
    },
  },
  {
    type: 'sample',
    match: 'c2',
    sha256Hash: HASH,
    fileName: 'a.exe',
    tags: [{ heat: 3, name: 'PE' }],
  },
] as unknown as Answer['results'];

const ANSWERS: readonly Answer[] = [
  { query: 'evil[.]example:1', results, hasMore: true },
  { query: 'none.example', results: [], hasMore: false },
  { query: 'x y', results: [], hasMore: false, error: 'It must be a hash.' },
];

describe('exported results', () => {
  it('are a table with a row for each result and each line without one', () =>
    assert.deepEqual(toCsv(ANSWERS).split('\r\n'), [
      '"query","type","match","name","c2","tags","service","status","reported_at","id","sha256","note"',
      `"evil[.]example:1","report","c2","'=RAT","evil.example:1","a|b","ply","open","2026-08-26 10:00:00","id-1","${HASH}",""`,
      `"evil[.]example:1","sample","c2","a.exe","","PE","","","","","${HASH}","There may be more."`,
      '"none.example","","","","","","","","","","","Nothing was found."',
      '"x y","","","","","","","","","","","It must be a hash."',
      '',
    ]));

  it('are copied as distinct indicators', () =>
    assert.deepEqual(indicatorsOf(ANSWERS), ['evil[.]example:1', HASH]));
});
