import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatBytes } from './format-bytes.ts';

it('formats a size in the largest unit of which it is a whole number', () => {
  assert.equal(formatBytes(0), '0 bytes');
  assert.equal(formatBytes(1000), '1000 bytes');
  assert.equal(formatBytes(1536), '1536 bytes');
  assert.equal(formatBytes(100 * 1024 ** 2), '100 MiB');
  assert.equal(formatBytes(8 * 1024 ** 3), '8 GiB');
  assert.equal(formatBytes(2048 * 1024 ** 4), '2048 TiB');
});
