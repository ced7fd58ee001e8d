import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pause } from './pause.ts';

describe('a pause', () => {
  it('lasts for the given time', async () => {
    const start = performance.now();
    await pause(20, new AbortController().signal, { ref: true });
    assert.ok(performance.now() - start >= 19);
  });

  it('ends when its signal aborts, without an error', async () => {
    const stopping = new AbortController();
    const pausing = pause(3_600_000, stopping.signal);
    stopping.abort();
    await pausing;
  });

  it('does not begin when its signal is aborted already', async () => {
    await pause(3_600_000, AbortSignal.abort());
  });
});
