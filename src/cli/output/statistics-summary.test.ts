import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { showStatistics } from './statistics-summary.ts';

const STATISTICS = {
  service: 'ply',
  asOf: '2026-08-26T10:00:00Z',
  days: [],
  statuses: { open: 2, acknowledged: 0, actioned: 0, rejected: 0, expired: 0 },
  families: [],
  timeToAct: { medianSeconds: null, acted: 0, buckets: [] },
};

describe('the summary of statistics', () => {
  it('says whether older reports are still being counted', () => {
    const NOTE = /^note +older reports are still being counted$/m;
    assert.match(showStatistics({ ...STATISTICS, complete: false }), NOTE);
    assert.doesNotMatch(showStatistics({ ...STATISTICS, complete: true }), NOTE);
  });
});
