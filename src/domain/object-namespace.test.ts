import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectNamespace } from './object-namespace.ts';
import { parseUuid } from './uuid.ts';

describe('the namespace of object ids', () => {
  it('is a UUID that depends on the secret alone', () => {
    const namespace = objectNamespace(Buffer.alloc(32, 1));
    assert.equal(namespace, '0332d448-4c53-8e37-a35e-294e6e0bf24f');
    assert.equal(parseUuid(namespace), namespace);
    assert.equal(objectNamespace(Buffer.alloc(32, 1)), namespace);
    assert.notEqual(objectNamespace(Buffer.alloc(32, 2)), namespace);
  });
});
