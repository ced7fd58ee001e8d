import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256Of } from '../../../test/builders.ts';
import { fakeDependencies } from '../../../test/fakes.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import { awaitAnalysis } from './await-analysis.ts';

const HASH = { hex: sha256Of('a file'), kinds: ['sha256'] as const };

/**
 * A fake store that returns these states in order, then the last one for ever, and counts its
 * calls.
 */
function states(...sequence: readonly SampleStatus['state'][]) {
  let asked = 0;
  const deps = fakeDependencies({
    samples: {
      async status() {
        asked += 1;
        return { state: sequence[asked - 1] ?? sequence.at(-1) ?? 'unknown' };
      },
    },
  });
  return { deps, asked: () => asked };
}

function waitFor(timeoutMs: number) {
  return { timeoutMs, signal: new AbortController().signal };
}

describe('waiting for an analysis', { timeout: 50_000 }, () => {
  for (const state of ['done', 'failed'] as const) {
    it(`does not wait for one that is ${state}`, async () => {
      const { deps, asked } = states(state);
      assert.deepEqual(await awaitAnalysis(deps, HASH, waitFor(60_000)), { state });
      assert.equal(asked(), 1);
    });
  }

  for (const state of ['unknown', 'queued', 'running'] as const) {
    it(`reads the state again at an event of one that is ${state}`, async () => {
      const { deps, asked } = states(state, 'done');
      const wait = awaitAnalysis(deps, HASH, waitFor(60_000));
      deps.analysisEvents.finished(HASH.hex);
      assert.deepEqual(await wait, { state: 'done' });
      assert.equal(asked(), 2);
    });
  }

  it('polls without any event', async () => {
    const { deps } = states('queued', 'queued', 'done');
    const alive = setInterval(() => undefined, 1000);
    assert.deepEqual(await awaitAnalysis(deps, HASH, waitFor(60_000)), { state: 'done' });
    clearInterval(alive);
  });

  it('returns the current state at the timeout', async () => {
    const { deps, asked } = states('queued');
    assert.deepEqual(await awaitAnalysis(deps, HASH, waitFor(0)), { state: 'queued' });
    assert.equal(asked(), 1);
  });

  it('ends when the client disconnects', async () => {
    const { deps } = states('queued');
    const controller = new AbortController();
    const wait = awaitAnalysis(deps, HASH, { timeoutMs: 60_000, signal: controller.signal });
    controller.abort();
    assert.deepEqual(await wait, { state: 'queued' });
  });

  it('does not begin if the client has disconnected', async () => {
    const { deps, asked } = states('queued');
    await awaitAnalysis(deps, HASH, { timeoutMs: 60_000, signal: AbortSignal.abort() });
    assert.equal(asked(), 1);
  });

  it('ends when the server stops, and does not wait afterwards', async () => {
    const { deps } = states('queued');
    const wait = awaitAnalysis(deps, HASH, waitFor(60_000));
    deps.analysisEvents.close();
    assert.deepEqual(await wait, { state: 'queued' });
    assert.deepEqual(await awaitAnalysis(deps, HASH, waitFor(60_000)), { state: 'queued' });
  });

  it('removes its watch, even if the store fails', async () => {
    const deps = fakeDependencies({
      samples: { status: () => Promise.reject(new Error('disk on fire')) },
    });
    for (let round = 0; round < 1001; round += 1)
      await assert.rejects(awaitAnalysis(deps, HASH, waitFor(60_000)), /fire/);
    assert.ok(deps.analysisEvents.watch(HASH.hex));
  });
});
