import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionId, formatCursor, parseCursor } from './collection.ts';

const NAMESPACE = '0332d448-4c53-8e37-a35e-294e6e0bf24f';

describe('the id of a collection', () => {
  it('has the form of a random UUID and depends on installation and feed', () => {
    const id = collectionId('ply', NAMESPACE);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(collectionId('ply', NAMESPACE), id);
    assert.notEqual(collectionId('all', NAMESPACE), id);
    assert.notEqual(collectionId('ply', NAMESPACE.replace('0', '1')), id);
  });
});

describe('a cursor of a collection', () => {
  const secret = Buffer.alloc(32, 1);

  for (const cursor of [
    { alias: 'ply', position: { at: 1787738400123 } },
    { alias: 'all', position: { at: 1787738400123, within: { feed: 'ply', index: 1 } } },
  ]) {
    it(`keeps ${JSON.stringify(cursor.position)}`, () => {
      assert.deepEqual(parseCursor(secret, formatCursor(secret, cursor)), cursor);
    });
  }

  it('is refused if it was forged', () => {
    const text = formatCursor(Buffer.alloc(32, 2), { alias: 'ply', position: { at: 1 } });
    assert.equal(parseCursor(secret, text), undefined);
    assert.equal(parseCursor(secret, ''), undefined);
    assert.equal(parseCursor(secret, 'x'.repeat(100)), undefined);
  });
});
