import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { workersFor } from './analyse-files.ts';

const files = (count: number, sizeBytes: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `${index}`, sizeBytes }));

describe('the number of workers of a local analysis', () => {
  it('is one for a few small files, which take less than the start of a worker', () => {
    assert.equal(workersFor(files(1, 1000), 8), 1);
    assert.equal(workersFor(files(49, 1000), 8), 1);
    assert.equal(workersFor(files(50, 1000), 8), 2);
  });

  it('grows with the number and the size of the files, up to the maximum', () => {
    assert.equal(workersFor(files(300, 1000), 2), 2);
    assert.equal(workersFor(files(300, 1000), 64), 12);
    assert.equal(workersFor(files(3, 50_000_000), 8), 3);
  });

  it('is not above that of the files', () => {
    assert.equal(workersFor(files(1, 50_000_000), 8), 1);
  });
});
