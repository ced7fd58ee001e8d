import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRange } from './byte-range.ts';

describe('a range of bytes', () => {
  it('is read from its first and last position', () => {
    assert.deepEqual(parseRange('bytes=0-0', 10), { start: 0, end: 1 });
    assert.deepEqual(parseRange('bytes=2-5', 10), { start: 2, end: 6 });
    assert.deepEqual(parseRange('bytes=2-', 10), { start: 2, end: 10 });
    assert.deepEqual(parseRange('Bytes = 2 - 99', 10), { start: 2, end: 10 });
  });

  it('is read from the number of its last bytes', () => {
    assert.deepEqual(parseRange('bytes=-3', 10), { start: 7, end: 10 });
    assert.deepEqual(parseRange('bytes=-99', 10), { start: 0, end: 10 });
  });

  it('is unsatisfiable without a byte in the file', () => {
    assert.equal(parseRange('bytes=10-', 10), 'unsatisfiable');
    assert.equal(parseRange('bytes=-0', 10), 'unsatisfiable');
    assert.equal(parseRange('bytes=0-', 0), 'unsatisfiable');
  });

  it('is ignored if it is none, several, invalid or of another unit', () => {
    const others = [
      '',
      'bytes=',
      'bytes=-',
      'bytes=5-2',
      'bytes=0-1,3-4',
      'lines=0-1',
      'bytes=a-b',
    ];
    for (const header of [undefined, ...others, `bytes=${'9'.repeat(99)}-`])
      assert.equal(parseRange(header, 10), undefined, header ?? 'no header');
  });
});
