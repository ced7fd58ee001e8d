import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HeldActions } from './held-actions.ts';

function rig(send: () => Promise<void> = async () => {}) {
  const sent: [action: string, isLeaving: boolean][] = [];
  const failures: unknown[] = [];
  const waiting: (() => void)[] = [];
  const held = new HeldActions<string>({
    waitMs: 10_000,
    schedule: (run) => waiting.push(run),
    send: async (action, { isLeaving }) => {
      sent.push([action, isLeaving]);
      await send();
    },
    onFailure: (error) => failures.push(error),
  });
  const elapse = () => {
    for (const run of waiting.splice(0)) run();
  };
  return { held, sent, failures, elapse };
}

describe('a held action', () => {
  it('is sent after the wait, and not if it is undone', () => {
    const { held, sent, elapse } = rig();
    held.add('a');
    held.add('b');
    assert.deepEqual(held.undo(), { action: 'b', isSent: false });
    elapse();
    assert.deepEqual(sent, [['a', false]]);
    assert.deepEqual(held.undo(), { action: 'a', isSent: true });
    assert.equal(held.undo(), undefined);
  });

  it('is sent once when the view is closed, all at once when the page is left', async () => {
    const { held, sent, elapse } = rig();
    held.add('a');
    held.flush();
    elapse();
    held.add('b');
    held.add('c');
    held.flush({ isLeaving: true });
    elapse();
    await setImmediate();
    assert.deepEqual(sent, [
      ['a', false],
      ['b', true],
      ['c', true],
    ]);
    assert.deepEqual(held.waiting, []);
  });

  it('is no longer the last one after it was refused', async () => {
    const refusal = new Error('refused');
    const { held, failures, elapse } = rig(() => Promise.reject(refusal));
    held.add('a');
    elapse();
    await setImmediate();
    assert.deepEqual(failures, [refusal]);
    assert.equal(held.last, undefined);
  });
});
