import fc from 'fast-check';

/** Variants of a valid input: truncated, with flipped bits, partly overwritten, or random. */
export function hostileVariants(good: Buffer): fc.Arbitrary<Buffer> {
  const offset = fc.nat(Math.max(good.length - 1, 0));
  const cut = offset.map((end) => good.subarray(0, end));
  const flipped = fc
    .array(fc.tuple(offset, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 24 })
    .map((changes) => {
      const bytes = Buffer.from(good);
      for (const [at, mask] of changes) bytes[at] = (bytes[at] ?? 0) ^ mask;
      return bytes;
    });
  const overwritten = fc
    .tuple(offset, fc.constantFrom(0x00, 0x7f, 0x80, 0xff), fc.integer({ min: 1, max: 16 }))
    .map(([at, value, count]) =>
      Buffer.from(good).fill(value, at, Math.min(at + count, good.length)),
    );
  const noise = fc.uint8Array({ maxLength: 512 }).map((bytes) => Buffer.from(bytes));
  const noisyTail = fc
    .tuple(offset, fc.uint8Array({ maxLength: 256 }))
    .map(([end, tail]) => Buffer.concat([good.subarray(0, end), tail]));
  return fc.oneof(cut, flipped, overwritten, noise, noisyTail);
}

/** The seed of a test run; `npm run fuzz` uses others. */
const FUZZ_SEED = 20_261_115;

/** Inputs for each parser; `npm run fuzz` raises the number. */
export const FUZZ_RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);

export function fuzzSettings(): { seed: number; numRuns: number } {
  const seed = process.env['FUZZ_SEED'];
  return { seed: seed === undefined ? FUZZ_SEED : Number(seed), numRuns: FUZZ_RUNS };
}
