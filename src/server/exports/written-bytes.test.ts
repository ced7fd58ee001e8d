import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WrittenBytes } from './written-bytes.ts';

describe('the length of a file that is written', () => {
  it('is told at its first bytes, in steps of a quarter of a megabyte, and at its end', () => {
    const told: number[] = [];
    const written = new WrittenBytes((bytes) => told.push(bytes));
    for (let kib = 64; kib <= 1024; kib += 64) written.update(kib * 1024);
    written.end();
    written.end();
    assert.deepEqual(
      told.map((bytes) => bytes / 1024),
      [64, 320, 576, 832, 1024],
    );
  });

  it('is not told for an empty file', () => {
    const written = new WrittenBytes(() => assert.fail());
    written.end();
  });
});
