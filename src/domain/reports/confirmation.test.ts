import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { always } from '../../../test/always.ts';
import { confirmationOf } from './confirmation.ts';

const evidence = fc.record({
  isNamed: fc.boolean(),
  hasSameKind: fc.boolean(),
  hasMore: fc.boolean(),
});

describe('the confirmation of a report', () => {
  it('is unknown without an analysis', () => {
    assert.equal(confirmationOf(undefined), 'unknown');
  });

  it('is confirmed exactly if the settings name the C2', () => {
    always(fc.property(evidence, (one) => (confirmationOf(one) === 'confirmed') === one.isNamed));
  });

  it('is contradicted only by others of the same kind, and never beside a dead drop', () => {
    always(
      fc.property(
        evidence,
        (one) =>
          (confirmationOf(one) === 'contradicted') ===
          (!one.isNamed && one.hasSameKind && !one.hasMore),
      ),
    );
  });
});
