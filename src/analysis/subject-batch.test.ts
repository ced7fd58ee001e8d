import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Subject } from './subject.ts';
import { SubjectBatch } from './subject-batch.ts';

function subject(name: string, text: string): Subject {
  return new Subject(Buffer.from(text), name);
}

describe('a batch of subjects', () => {
  it('joins them in order, and maps offsets to subjects', () => {
    const batch = new SubjectBatch();
    batch.add(subject('a', 'one'));
    batch.add(subject('b', 'three'));
    const joined = batch.take();
    assert.equal(joined?.bytes.toString(), 'onethree');
    assert.deepEqual(
      [0, 2, 3, 7].map((offset) => {
        const found = joined.at(offset);
        return [found.subject.name, found.offset];
      }),
      [
        ['a', 0],
        ['a', 2],
        ['b', 0],
        ['b', 4],
      ],
    );
  });

  it('is emptied when taken', () => {
    const batch = new SubjectBatch();
    assert.equal(batch.take(), undefined);
    batch.add(subject('a', 'one'));
    assert.notEqual(batch.take(), undefined);
    assert.equal(batch.take(), undefined);
  });

  it('is full at a few MB', () => {
    const batch = new SubjectBatch();
    batch.add(new Subject(Buffer.alloc(3 * 1024 * 1024), 'a'));
    assert.equal(batch.isFull, false);
    batch.add(new Subject(Buffer.alloc(1024 * 1024), 'b'));
    assert.equal(batch.isFull, true);
    batch.take();
    assert.equal(batch.isFull, false);
  });
});
