import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ssdeep } from '../../src/analysis/hashing/ssdeep.ts';
import { build } from '../../test/fixtures/analysis/ssdeep/recipes.ts';

/**
 * Compares our fuzzy hash with Debian's `ssdeep` on the same file in the same run: the best of
 * `ROUNDS` alternating rounds each. The file is in the page cache for both, and reading it counts
 * for both.
 */
const SIZE_BYTES = 100_000_000;
const ROUNDS = 3;
const TARGET = 1.5;

const PARTS = {
  'random bytes': `random 1 ${SIZE_BYTES}`,
  'code and zeros': `code 2 ${SIZE_BYTES / 2} + zeros ${SIZE_BYTES / 2}`,
};

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function theirs(path: string): string {
  const [, line = ''] = execFileSync('ssdeep', ['-s', path], { encoding: 'utf8' }).split('\n');
  return line.slice(0, line.indexOf(','));
}

function measure(name: string, path: string): void {
  if (ssdeep(readFileSync(path)) !== theirs(path)) throw new Error(`the hashes of ${name} differ`);
  const best = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    best.ours = Math.min(
      best.ours,
      milliseconds(() => ssdeep(readFileSync(path))),
    );
    best.theirs = Math.min(
      best.theirs,
      milliseconds(() => theirs(path)),
    );
  }
  const rate = (ms: number) => `${Math.round(SIZE_BYTES / 1000 / ms)} MB/s`;
  const ratio = best.theirs / best.ours;
  console.log(
    `${ratio >= TARGET ? 'holds ' : 'MISSED'}  ssdeep of ${name}: ${rate(best.ours)} to ${rate(best.theirs)} of the tool, ${ratio.toFixed(2)} (≥ ${TARGET})`,
  );
}

if (spawnSync('ssdeep', ['-V']).status === 0) {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-bench-ssdeep-'));
  try {
    for (const [name, recipe] of Object.entries(PARTS)) {
      const path = join(folder, 'file');
      writeFileSync(path, build(recipe));
      measure(name, path);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
} else {
  console.log('skipped: ssdeep is not installed (Debian package "ssdeep")');
}
