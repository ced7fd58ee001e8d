import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { confirm, isYes } from './confirm.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

describe('the answer to a question', () => {
  const answer = (keys: string) => {
    const input = new PassThrough();
    const answered = confirm('Report it?', { input, output: new PassThrough() });
    input.write(keys);
    return answered;
  };

  it('is yes only if it says so', () => {
    for (const answer of ['y', 'Y', ' yes ', 'YES']) assert.ok(isYes(answer), answer);
    for (const answer of ['', 'n', 'no', 'yeah', 'y y']) assert.ok(!isYes(answer), answer);
  });

  it('is read from the terminal, whose end is a no', async () => {
    assert.equal(await answer('yes\r'), true);
    assert.equal(await answer('\r'), false);
    assert.equal(await answer(CTRL_D), false);
  });

  it('is left out with Ctrl-C, which interrupts the process', async () => {
    const interrupted = new Promise((resolve) => process.once('SIGINT', resolve));
    void answer(CTRL_C);
    assert.equal(await interrupted, 'SIGINT');
  });
});
