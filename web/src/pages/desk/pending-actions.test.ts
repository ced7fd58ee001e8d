import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { PendingActions } from './pending-actions.ts';

const report = (id: string, status: ExtendedReport['status'] = 'open') =>
  ({ id, status, statusReason: null }) as ExtendedReport;

function rig(send?: () => Promise<void>) {
  const sent: { ids: readonly string[]; body: SetStatusBody }[] = [];
  const leaving: boolean[] = [];
  const failures: unknown[] = [];
  const waiting: (() => void)[] = [];
  const actions = new PendingActions({
    waitMs: 10_000,
    schedule: (run) => waiting.push(run),
    send: async (ids, body, { isLeaving }) => {
      sent.push({ ids, body });
      leaving.push(isLeaving);
      await send?.();
    },
    onFailure: (error) => failures.push(error),
  });
  const elapse = () => {
    for (const run of waiting.splice(0)) run();
  };
  return { actions, sent, leaving, failures, elapse };
}

describe('an action of the desk', () => {
  it('shows at once, and is sent after the wait', () => {
    const { actions, sent, elapse } = rig();
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    assert.equal(actions.shown.value.get('a')?.status, 'acknowledged');
    assert.deepEqual(sent, []);
    elapse();
    assert.deepEqual(sent, [{ ids: ['a'], body: { status: 'acknowledged' } }]);
  });

  it('leaves no trace if it is undone in time', () => {
    const { actions, sent, elapse } = rig();
    actions.add({ reports: [report('a')], body: { status: 'rejected', reason: 'not_ours' } });
    actions.undo();
    elapse();
    assert.deepEqual(sent, []);
    assert.equal(actions.shown.value.get('a')?.status, 'open');
  });

  it('is changed back if it was sent, each report to its own status', async () => {
    const { actions, sent, elapse } = rig();
    const reports = [report('a'), report('b', 'acknowledged'), report('c')];
    actions.add({ reports, body: { status: 'actioned', reason: 'taken_down' } });
    elapse();
    actions.undo();
    await setImmediate();
    assert.deepEqual(sent.slice(1), [
      { ids: ['a', 'c'], body: { status: 'open' } },
      { ids: ['b'], body: { status: 'acknowledged' } },
    ]);
  });

  it('is changed back after it has arrived, not before', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { actions, sent, elapse } = rig(() => promise);
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    elapse();
    actions.undo();
    await setImmediate();
    assert.equal(sent.length, 1);
    resolve();
    await setImmediate();
    assert.deepEqual(sent.at(-1), { ids: ['a'], body: { status: 'open' } });
  });

  it('does not hide one that waits for the same report when it is refused', async () => {
    const { actions, elapse } = rig(() => Promise.reject(new Error('refused')));
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    elapse();
    actions.add({ reports: [report('a', 'acknowledged')], body: { status: 'actioned' } });
    await setImmediate();
    assert.equal(actions.shown.value.get('a')?.status, 'actioned');
  });

  it('is sent once, even if the page is closed before the wait is over', () => {
    const { actions, sent, elapse } = rig();
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    actions.flush();
    elapse();
    assert.equal(sent.length, 1);
  });

  it('is no longer shown if the server refuses it', async () => {
    const refusal = new Error('refused');
    const { actions, failures, elapse } = rig(() => Promise.reject(refusal));
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    elapse();
    await setImmediate();
    assert.deepEqual(failures, [refusal]);
    assert.equal(actions.shown.value.has('a'), false);
    assert.equal(actions.canUndo, false);
  });

  it('stays shown until the server tells the status', () => {
    const { actions, elapse } = rig();
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    actions.settle(['a']);
    assert.equal(actions.shown.value.has('a'), true);
    elapse();
    actions.settle(['a']);
    assert.equal(actions.shown.value.has('a'), false);
  });

  it('is sent in a way that outlives the page if the page is left', () => {
    const { actions, sent, leaving, elapse } = rig();
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    actions.add({ reports: [report('b')], body: { status: 'actioned' } });
    assert.equal(actions.waiting.length, 2);
    actions.flush({ isLeaving: true });
    assert.deepEqual(
      sent.map(({ ids }) => ids),
      [['a'], ['b']],
    );
    assert.deepEqual(leaving, [true, true]);
    assert.equal(actions.waiting.length, 0);
    elapse();
    assert.equal(sent.length, 2);
  });

  it('is undone alone if another one came before it', () => {
    const { actions, sent, elapse } = rig();
    const first = report('a');
    actions.add({ reports: [first], body: { status: 'acknowledged' } });
    actions.add({
      reports: [report('a', 'acknowledged')],
      body: { status: 'rejected', reason: 'not_ours' },
    });
    actions.undo();
    assert.equal(actions.shown.value.get('a')?.status, 'acknowledged');
    elapse();
    assert.deepEqual(sent, [{ ids: ['a'], body: { status: 'acknowledged' } }]);
  });

  it('sets other values when it is added, sent, undone and settled', () => {
    const { actions, elapse } = rig();
    const entries = new Set<unknown>();
    const shown = new Set<unknown>();
    actions.entries.subscribe(() => entries.add(actions.entries.value));
    actions.shown.subscribe(() => shown.add(actions.shown.value));
    actions.add({ reports: [report('a')], body: { status: 'acknowledged' } });
    elapse();
    actions.settle(['a']);
    actions.undo();
    assert.equal(entries.size, 3, 'added, sent, undone');
    assert.equal(shown.size, 3, 'added, settled, undone');
  });
});
