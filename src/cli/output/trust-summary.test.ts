import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReporterStatistics, ServiceStatistics } from '../../client/wire.ts';
import { showReporter, showScorecard } from './trust-summary.ts';

const totals: ReporterStatistics['totals'] = {
  reports: 12,
  confirmed: 4,
  contradicted: 0,
  unknown: 8,
  open: 2,
  acknowledged: 0,
  actioned: 9,
  rejected: {
    not_ours: 0,
    false_positive: 1,
    duplicate: 0,
    insufficient_evidence: 0,
    unspecified: 0,
  },
  expired: 0,
};
const precision = { right: 9, wrong: 1, value: 0.9, lower: 0.5958, upper: 0.9821 };

const times = { median: 5400, p90: 90_000, count: 7, buckets: [] };
const scorecard: ServiceStatistics = {
  service: 'ply',
  asOf: '2026-11-16T00:00:00Z',
  backlog: { open: 3, acknowledged: 1 },
  statuses: { open: 3, acknowledged: 1, actioned: 6, rejected: 1, expired: 0 },
  reports: { total: 11, confirmed: 5, contradicted: 1, unknown: 5 },
  misrouted: 2,
  timeToAcknowledge: times,
  timeToAct: { median: null, p90: null, count: 0, buckets: [] },
  recurrences: {
    total: 4,
    days: [
      { day: '2026-11-15', count: 0 },
      { day: '2026-11-16', count: 3 },
    ],
  },
  complete: true,
  successful: true,
};

describe('the outcomes of a reporter', () => {
  it('have the precision with its interval, in total and by feed', () => {
    const text = showReporter({
      reporter: 'alice',
      totals,
      precision,
      services: [{ service: 'ply', totals, precision: null }],
      complete: false,
      successful: true,
    });
    assert.match(text, /^reports +12: 2 open, 9 actioned, 1 rejected \(false_positive\)$/m);
    assert.match(text, /^files +4 confirmed, 8 unknown$/m);
    assert.match(text, /^precision +90\.0 % \(59\.6 % to 98\.2 %\), 9 of 10 right$/m);
    assert.match(text, /^note +older reports are still being counted$/m);
    assert.match(text, /^ply +12 +9 +1 +4 +0 +no report is judged yet$/m);
  });

  it('have no table without a report', () => {
    const text = showReporter({
      reporter: 'alice',
      totals,
      precision: null,
      services: [],
      complete: true,
      successful: true,
    });
    assert.doesNotMatch(text, /SERVICE|note/);
  });
});

describe('the scorecard of a service', () => {
  it('has about the times, and the days with recurrences', () => {
    const text = showScorecard(scorecard);
    assert.match(text, /^backlog +3 open, 1 acknowledged$/m);
    assert.match(text, /^acknowledged in +about 1\.5 h \(median\), 25\.0 h \(90 %\), of 7$/m);
    assert.match(text, /^acted in +no report was answered$/m);
    assert.match(text, /^recurrences +4, 3 in 2 days$/m);
    assert.match(text, /^2026-11-16 +3$/m);
    assert.doesNotMatch(text, /2026-11-15/);
  });

  it('has no table without a recurrence', () => {
    const recurrences = { total: 0, days: [{ day: '2026-11-16', count: 0 }] };
    assert.doesNotMatch(showScorecard({ ...scorecard, recurrences }), /DAY/);
  });
});
