import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Subject } from './subject.ts';
import { SubjectBatch } from './subject-batch.ts';

function subject(name: string, text: string): Subject {
  return new Subject(Buffer.from(text), name);
}

describe('contents that are looked at together', () => {
  it('are joined in their order, and know where each of them lies', () => {
    const gathered = new SubjectBatch();
    gathered.add(subject('a', 'one'));
    gathered.add(subject('b', 'three'));
    const joined = gathered.take();
    assert.equal(joined?.bytes.toString(), 'onethree');
    assert.deepEqual(
      [0, 2, 3, 7].map((place) => {
        const found = joined.at(place);
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

  it('are taken once', () => {
    const gathered = new SubjectBatch();
    assert.equal(gathered.take(), undefined);
    gathered.add(subject('a', 'one'));
    assert.notEqual(gathered.take(), undefined);
    assert.equal(gathered.take(), undefined);
  });

  it('are as many as a few MB', () => {
    const gathered = new SubjectBatch();
    gathered.add(new Subject(Buffer.alloc(3 * 1024 * 1024), 'a'));
    assert.equal(gathered.isFull, false);
    gathered.add(new Subject(Buffer.alloc(1024 * 1024), 'b'));
    assert.equal(gathered.isFull, true);
    gathered.take();
    assert.equal(gathered.isFull, false);
  });
});
