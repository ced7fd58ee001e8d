import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noReporterCounts, OUTCOMES, outcomeOf, reportsOf, sumCounts } from './outcome.ts';

describe('the outcome of a report', () => {
  it('is the status, or the reason of a rejection', () => {
    assert.equal(outcomeOf('actioned', 'taken_down'), 'actioned');
    assert.equal(outcomeOf('open', null), 'open');
    assert.equal(outcomeOf('rejected', 'duplicate'), 'duplicate');
    assert.equal(outcomeOf('rejected', null), 'unspecified');
    assert.equal(outcomeOf('rejected', 'taken_down'), 'unspecified');
  });
});

describe('the counts of a reporter', () => {
  it('have one outcome for each report, and are not shared', () => {
    const counts = noReporterCounts();
    for (const outcome of OUTCOMES) counts[outcome] += 1;
    counts.confirmed += 3;
    assert.equal(reportsOf(counts), OUTCOMES.length);
    assert.equal(reportsOf(noReporterCounts()), 0);
  });

  it('are added by column', () => {
    const one = { ...noReporterCounts(), open: 1, confirmed: 2 };
    const sum = sumCounts([one, one, { ...noReporterCounts(), contradicted: 4 }]);
    assert.deepEqual(sum, { ...noReporterCounts(), open: 2, confirmed: 4, contradicted: 4 });
    assert.deepEqual(sumCounts([]), noReporterCounts());
  });
});
