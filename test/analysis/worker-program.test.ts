import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { workerProgram } from '../../src/analysis/worker/worker-program.ts';

const parent = mkdtempSync(join(tmpdir(), 'rapsheet-worker-program-'));
after(() => rmSync(parent, { recursive: true }));

const WORKER = 'src/analysis/worker/worker';

/** A checkout with these files, given with the times of their last changes. */
function checkout(files: Readonly<Record<string, number>>): string {
  const root = mkdtempSync(join(parent, 'root-'));
  for (const [path, seconds] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
    utimesSync(join(root, path), seconds, seconds);
  }
  return root;
}

const BUILT = {
  [`${WORKER}.ts`]: 10,
  'src/domain/hash.ts': 10,
  [`build/${WORKER}.js`]: 20,
  'build/src/domain/hash.js': 20,
};

describe('the program of a worker', () => {
  it('is the compiled one, which the worker may read', () => {
    const root = checkout(BUILT);
    const program = join(root, `build/${WORKER}.js`);
    assert.deepEqual(workerProgram(root), { program, readable: [join(root, 'build')] });
  });

  const { [`build/${WORKER}.js`]: _, ...unbuilt } = BUILT;
  const cases: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    'nothing is compiled': { [`${WORKER}.ts`]: 10 },
    'its first module is not compiled': unbuilt,
    'a source has changed': { ...BUILT, 'src/domain/hash.ts': 30 },
    'a source is gone': { ...BUILT, 'build/src/domain/old.js': 20 },
  };
  for (const [name, files] of Object.entries(cases))
    it(`is the source if ${name}`, () => {
      const root = checkout(files);
      assert.deepEqual(workerProgram(root), { program: join(root, `${WORKER}.ts`), readable: [] });
    });
});
