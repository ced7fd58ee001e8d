import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryDatabase } from '../../../../test/empty-store.ts';
import { formatTlsh, type Tlsh } from '../../../domain/samples/tlsh.ts';
import { Statements } from '../../sqlite/statements.ts';
import type { Step } from '../../units/steps.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { nearestByTlsh, putTlsh } from './tlsh-index.ts';

const BANDS = 16;
const OF_BAND = 100;
const target: Tlsh = {
  checksum: 7,
  length: 40,
  ratio1: 3,
  ratio2: 9,
  body: Uint8Array.from({ length: 32 }, (_, index) => (index * 37) % 256),
};

/** Has only one band in common with the target, and two steps of difference in every other. */
function sharing(band: number): Tlsh {
  const body = target.body.map((byte, index) => (index >> 1 === band ? byte : byte ^ 1));
  return { ...target, body };
}

/** As many files as a search reads of each band, which is more than it compares. */
function crowded(): Statements {
  const statements = new Statements(openMemoryDatabase());
  for (let id = 1; id <= BANDS * OF_BAND; id += 1)
    statements.perform(putTlsh(id, formatTlsh(sharing(id % BANDS))));
  return statements;
}

/** The steps of the unit, those of parallel ones separately. */
function* recorded<Result>(work: UnitOfWork<Result>, steps: Step[]): UnitOfWork<Result> {
  let result = work.next([]);
  while (!result.done) {
    const step = result.value;
    steps.push(...(step.kind === 'parallel' ? step.steps : [step]));
    result = work.next(yield step);
  }
  return result.value;
}

describe('a search by TLSH among files with the same bands', () => {
  const statements = crowded();

  it('compares the newest of those that share as many bands', () => {
    const newest = Array.from({ length: 1000 }, (_, index) => BANDS * OF_BAND - index);
    assert.deepEqual(statements.perform(nearestByTlsh(target, undefined)), newest);
  });

  it('reads at most 3,200 rows of the index, or 250 digests, in a statement', () => {
    const steps: Step[] = [];
    statements.perform(recorded(nearestByTlsh(target, undefined), steps));
    const sizes = steps.map((step) => {
      assert.equal(step.kind, 'query');
      const { bands, limit, ids } = (step as { values: Record<string, unknown> }).values;
      const count = JSON.parse(String(bands ?? ids)).length;
      return bands === undefined ? { digests: count } : { rows: count * Number(limit) };
    });
    const most = (of: 'rows' | 'digests') =>
      Math.max(...sizes.map((size) => Reflect.get(size, of) ?? 0));
    assert.deepEqual([most('rows'), most('digests')], [3200, 250]);
  });
});
