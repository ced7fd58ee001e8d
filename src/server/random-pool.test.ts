import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pooledRandomBytes } from './random-pool.ts';

it('returns as many bytes as requested, and never the same twice', () => {
  const randomBytes = pooledRandomBytes();
  const seen = new Set<string>();
  for (let turn = 0; turn < 5000; turn += 1) {
    const bytes = randomBytes(turn % 2 === 0 ? 10 : 24);
    assert.equal(bytes.length, turn % 2 === 0 ? 10 : 24);
    seen.add(Buffer.from(bytes).toString('hex'));
  }
  assert.equal(seen.size, 5000);
});
