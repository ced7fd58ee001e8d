import assert from 'node:assert/strict';
import { it } from 'node:test';
import { UNKNOWN_FAMILIES } from '../../domain/samples/analysis-report.ts';
import { DEMO_FAMILIES } from './families.ts';

it('the invented history has no family that the engine does not take for one', () => {
  const names = DEMO_FAMILIES.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => UNKNOWN_FAMILIES.has(name)),
    [],
  );
});
