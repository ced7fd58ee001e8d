import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PendingWork } from '../ports/pending-work.ts';
import { WorkWatch } from './work-watch.ts';

const NONE: PendingWork = {
  uploads: false,
  webhooks: false,
  mails: false,
  expiries: false,
  updates: false,
  similar: false,
  rejections: false,
  backFills: false,
  reanalysis: false,
};

describe('the watch for work', () => {
  it('wakes those whose work is due, at every look, and looks again after a failure', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const answers: (PendingWork | Error)[] = [
      NONE,
      { ...NONE, uploads: true, mails: true },
      new Error('the store is unavailable'),
      { ...NONE, uploads: true },
    ];
    const woken: string[] = [];
    const errors: unknown[] = [];
    const watch = new WorkWatch({
      store: {
        async pendingWork() {
          const answer = answers.shift() ?? NONE;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      now: () => new Date(0),
      log: { error: (...entry: unknown[]) => void errors.push(entry) },
    });
    for (const kind of ['uploads', 'webhooks', 'mails'] as const)
      watch.on(kind, () => woken.push(kind));
    const look = async () => {
      test.mock.timers.tick(2000);
      for (let round = 0; round < 10; round += 1) await Promise.resolve();
      return woken.splice(0);
    };
    assert.deepEqual(await look(), []);
    assert.deepEqual(await look(), ['uploads', 'mails']);
    assert.deepEqual(await look(), []);
    assert.equal(errors.length, 1);
    assert.deepEqual(await look(), ['uploads']);
    watch.stop();
    answers.push({ ...NONE, uploads: true });
    assert.deepEqual(await look(), []);
  });
});
