import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distance, rowsIn } from './row-geometry.ts';

test('the rows in a view are those of which a part is in it', () => {
  assert.deepEqual(rowsIn({ top: 0, size: 100 }, 40), { first: 0, last: 2 });
  assert.deepEqual(rowsIn({ top: 40, size: 80 }, 40), { first: 1, last: 2 });
  assert.deepEqual(rowsIn({ top: 3_699_000, size: 800 }, 37), { first: 99_972, last: 99_994 });
});

test('rows that begin below the top of the view', () => {
  assert.deepEqual(rowsIn({ top: -60, size: 100 }, 40), { first: 0, last: 0 });
});

test('a row is scrolled to as little as needed', () => {
  const view = { top: 400, size: 300 };
  const to = (top: number, covered = 0) => distance(view, { top, bottom: top + 40, covered });
  assert.equal(to(500), 0);
  assert.equal(to(360), -40);
  assert.equal(to(680), 20);
  assert.equal(to(400, 80), -80, 'from below a head that covers it');
});
