import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnalysisEvents, type Watch } from './analysis-events.ts';

/** Longer than any test, so a wait that ends earlier was notified. */
const LONG_MS = 60_000;

function watch(events: AnalysisEvents, sha256: string): Watch {
  return events.watch(sha256) ?? assert.fail('too many watches');
}

describe('events of uploads', () => {
  it('wake every listener until it is removed', () => {
    const events = new AnalysisEvents();
    const woken: string[] = [];
    const end = events.onSubmitted(() => woken.push('one'));
    events.onSubmitted(() => woken.push('other'));
    events.submitted();
    end();
    events.submitted();
    assert.deepEqual(woken, ['one', 'other', 'other']);
  });
});

describe('events of an analysis', { timeout: 50_000 }, () => {
  it('wake every watch of that sample', async () => {
    const events = new AnalysisEvents();
    const waits = [watch(events, 'a'), watch(events, 'a')].map((one) => one.wait(LONG_MS));
    events.finished('a');
    await Promise.all(waits);
  });

  it('do not wake a watch of another sample', async () => {
    const events = new AnalysisEvents();
    const other = watch(events, 'b');
    let notified = false;
    const wait = other.wait(LONG_MS).then(() => {
      notified = true;
    });
    events.finished('a');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(notified, false);
    other.end();
    await wait;
  });

  it('that came since the last wait are not missed', async () => {
    const events = new AnalysisEvents();
    const one = watch(events, 'a');
    events.finished('a');
    await one.wait(LONG_MS);
  });

  it('wake a watch once', async () => {
    const events = new AnalysisEvents();
    const one = watch(events, 'a');
    events.finished('a');
    await one.wait(LONG_MS);
    const wait = one.wait(LONG_MS);
    one.end();
    await wait;
    assert.equal(one.isEnded, true);
  });

  it('are awaited no longer than the timeout', async () => {
    const one = watch(new AnalysisEvents(), 'a');
    const before = performance.now();
    const alive = setInterval(() => undefined, 1000);
    await one.wait(20);
    clearInterval(alive);
    assert.ok(performance.now() - before >= 19);
  });

  it('are not awaited by a watch that has ended', async () => {
    const one = watch(new AnalysisEvents(), 'a');
    one.end();
    one.end();
    await one.wait(LONG_MS);
  });

  it('allow a thousand watches at once', () => {
    const events = new AnalysisEvents();
    const watches = Array.from({ length: 1000 }, (_, index) =>
      watch(events, `sample ${index % 7}`),
    );
    assert.equal(events.watch('a'), undefined);
    watches[0]?.end();
    watches[0]?.end();
    assert.ok(events.watch('a'));
    assert.equal(events.watch('a'), undefined);
  });

  it('end all watches when they close, and accept no new one', async () => {
    const events = new AnalysisEvents();
    const watches = ['a', 'a', 'b'].map((sha256) => watch(events, sha256));
    const waits = watches.map((one) => one.wait(LONG_MS));
    events.close();
    await Promise.all(waits);
    assert.ok(watches.every(({ isEnded }) => isEnded));
    assert.equal(events.watch('a'), undefined);
  });
});
