import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fixture } from './fixture.ts';
import { familiesIn, moduleFiles, systemBinaries } from './ordinary-files.ts';

/** `npm run trial -- false-positives` checks more files, with the whole engine. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_MODULE_BYTES = 128 * 1024 * 1024;
const ENOUGH = 1000;
const MAX_FILES = 1100;

/** The number of checked files and the false positives. */
function checkFiles(files: Iterator<string>, most = Number.POSITIVE_INFINITY) {
  const found: string[] = [];
  let count = 0;
  for (let next = files.next(); next.done !== true && count < most; next = files.next()) {
    for (const family of familiesIn(readFileSync(next.value)))
      found.push(`${next.value}: ${family}`);
    count += 1;
  }
  return { count, found };
}

describe('no family is found', () => {
  it('in programs, libraries and scripts of the distribution', (test) => {
    const { count, found } = checkFiles(systemBinaries(MAX_FILE_BYTES), MAX_FILES);
    assert.deepEqual(found, []);
    if (count < ENOUGH) test.skip(`only ${count} ordinary programs are here, fewer than ${ENOUGH}`);
  });

  it('in the files of our dependencies', () => {
    const { count, found } = checkFiles(moduleFiles(MAX_MODULE_BYTES));
    assert.deepEqual(found, []);
    assert.ok(count > 100);
  });

  it('except in a sample of one', () => {
    assert.deepEqual(familiesIn(fixture('analysis/families/njrat-plain.exe')), ['njrat']);
  });
});
