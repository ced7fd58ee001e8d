import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withoutComments } from '../imports.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The doctor reads whether each unfinished upload has a job. */
const ALLOWED = ['src/storage/checks/queued-jobs.ts'];

describe('the tables of pg-boss', () => {
  it('are used through its public calls, but for one read', () => {
    const using = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
      /\bpgboss\.|\$\{schema\}\./.test(withoutComments(readFileSync(ROOT + file, 'utf8'))),
    );
    assert.deepEqual(using, ALLOWED);
  });
});
