import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE } from './example-file.ts';

const DEMO = join(import.meta.dirname, '../../../../../demo/files');

test('the example is the file of the demo, with its hash and address', () => {
  const { fileName, content, sha256, c2 } = EXAMPLE;
  assert.equal(content, readFileSync(join(DEMO, fileName), 'utf8'));
  assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
  assert.ok(content.includes(c2));
});
