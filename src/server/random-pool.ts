import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 16_384;

/**
 * Returns random bytes from a pool: a system call for ten bytes takes longer than creating the
 * report that they are for. Each byte is returned once and then erased.
 */
export function pooledRandomBytes(): (count: number) => Uint8Array {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (count) => {
    if (used + count > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = Buffer.from(pool.subarray(used, used + count));
    pool.fill(0, used, used + count);
    used += count;
    return bytes;
  };
}
