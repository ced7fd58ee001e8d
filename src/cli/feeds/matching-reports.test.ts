import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeMatching } from './matching-reports.ts';

it('says how many reports of each status match', () => {
  const statuses = { open: 3, acknowledged: 2 };
  assert.equal(
    describeMatching({ matching: 5, isLowerBound: false, statuses }),
    '5 reports match: 3 open, 2 acknowledged',
  );
  assert.equal(
    describeMatching({ matching: 1, isLowerBound: false, statuses: { actioned: 1 } }),
    '1 report matches: 1 actioned',
  );
  assert.match(describeMatching({ matching: 10_000, isLowerBound: true, statuses }), /^at least /);
});
