import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 16_384;

/**
 * Random bytes out of a pool: asking the system for ten of them takes longer than making the report they are
 * for. Each byte is handed out once and not kept.
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
