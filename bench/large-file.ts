import { randomFillSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../test/analysis/fixture.ts';

/** Alternates programs and random bytes: a large file is neither all zeros nor all random. */
export function makeLargeFile(work: string): string {
  const file = join(work, 'large.bin');
  const program = fixture('analysis/pe/hello64');
  const noise = randomFillSync(Buffer.alloc(1 << 20));
  const parts: Buffer[] = [];
  for (let size = 0; size < 100e6; ) {
    const next = parts.length % 8 === 0 ? noise : Buffer.alloc(program.length, program);
    // Each piece differs, so that the fuzzy hash does not see repetitions only.
    next.writeUInt32LE(parts.length, 64);
    parts.push(Buffer.from(next));
    size += next.length;
  }
  writeFileSync(file, Buffer.concat(parts));
  return file;
}
