import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { count, formatAge, formatBytes, formatDuration, formatUtc, parseTime } from './format.ts';

const NOW = new Date('2026-11-16T12:00:00Z');
const before = (ms: number) => formatAge(new Date(NOW.getTime() - ms), NOW);

describe('times and sizes', () => {
  it('have one unit', () => {
    assert.equal(before(0), 'now');
    assert.equal(before(60_000), '60 s ago');
    assert.equal(before(3 * 3_600_000), '3 h ago');
    assert.equal(before(12 * 86_400_000), '12 d ago');
    assert.equal(before(-2 * 86_400_000), 'in 2 d');
    assert.equal(formatDuration(400 * 86_400_000), '13 months');
  });

  it('are in UTC, whichever form the API has', () => {
    const text = '2026-11-16 07:30:00 UTC';
    assert.equal(formatUtc(parseTime('2026-11-16 07:30:00')), text);
    assert.equal(formatUtc(parseTime('2026-11-16T07:30:00Z')), text);
  });

  it('are short', () => {
    assert.equal(formatBytes(1023), '1023 B');
    assert.equal(formatBytes(49_152), '48 KiB');
    assert.equal(formatBytes(1_500_000), '1.4 MiB');
    assert.equal(count(1, 'report'), '1 report');
    assert.equal(count(1200, 'report'), '1,200 reports');
  });
});
