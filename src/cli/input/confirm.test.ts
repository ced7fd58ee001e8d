import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isYes } from './confirm.ts';

describe('the answer to a question', () => {
  it('is yes only if it says so', () => {
    for (const answer of ['y', 'Y', ' yes ', 'YES']) assert.ok(isYes(answer), answer);
    for (const answer of ['', 'n', 'no', 'yeah', 'y y']) assert.ok(!isYes(answer), answer);
  });
});
