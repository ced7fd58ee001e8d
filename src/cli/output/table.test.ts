import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { table } from './table.ts';

describe('table', () => {
  it('makes columns as wide as their widest cell', () => {
    assert.equal(table(['A', 'LONG'], [['wider', 'x']]), 'A      LONG\nwider  x');
  });

  it('shows an empty cell as a hyphen', () => {
    assert.equal(table(['A', 'B'], [['', 'x']]), 'A  B\n-  x');
  });

  it('replaces control characters', () => {
    assert.equal(table(['A'], [['\x1b[2Jgone\u202e']]), 'A\n?[2Jgone?');
  });
});
