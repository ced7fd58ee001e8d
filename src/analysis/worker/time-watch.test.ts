import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TimeWatch } from './time-watch.ts';

const LIMITS = { elapsedMs: 600_000, processorMs: 20_000, idleMs: 20_000 };

/** What is said after that many seconds of a worker with a share of a processor. */
function saidAfter(seconds: number, share: number, isActive: boolean): string | undefined {
  const watch = new TimeWatch(LIMITS, 0);
  for (let now = 1000; now <= seconds * 1000; now += 1000) {
    const excess = watch.excess(now, { processorMs: 77_000 + now * share, isActive });
    if (excess !== undefined) return `${now / 1000}: ${excess}`;
  }
  return undefined;
}

describe('the watch over the time of a request', () => {
  it('ends a worker by its processor time, which a busy machine gives it slowly', () => {
    const reason = 'it took longer than 20 seconds of processor time';
    assert.equal(saidAfter(600, 1, true), `21: ${reason}`);
    assert.equal(saidAfter(600, 0.1, true), `201: ${reason}`);
  });

  it('ends a worker that waits for anything but a processor', () => {
    assert.equal(saidAfter(600, 0, false), '20: it did nothing for 20 seconds');
    assert.equal(saidAfter(599, 0, true), undefined);
  });

  it('ends every worker after the longest time', () => {
    assert.equal(saidAfter(600, 0.001, true), '600: it took longer than 600 seconds');
    const watch = new TimeWatch(LIMITS, 0);
    assert.equal(watch.excess(599_999, undefined), undefined);
    assert.match(watch.excess(600_000, undefined) ?? '', /longer than 600 seconds$/);
  });

  it('does not count the time in which the worker gets its sample', () => {
    const watch = new TimeWatch(LIMITS, 0);
    const idle = { processorMs: 0, isActive: false };
    watch.sent(15_000);
    assert.equal(watch.excess(34_000, idle), undefined);
    assert.notEqual(watch.excess(35_000, idle), undefined);
  });
});
