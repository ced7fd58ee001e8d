import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { sha256Of, TestClock, wireAnalysis } from '../../test/builders.ts';
import type { Analysis } from '../domain/analysis.ts';
import { readyForms } from '../http/present.ts';
import { createLog } from '../observability/log.ts';
import type { AnalysisOutcome, SampleToAnalyse } from '../ports/analyser.ts';
import { openSqliteDatabase } from '../queue/sqlite.ts';
import { AnalysisRunner } from './run-analysis.ts';

const CLOCK = new TestClock();
const DETAILS = { evidence: [], indicators: [], facts: {}, members: [] };

function digestsOf(name: string) {
  const { mD5Hash, sha1Hash, sha256Hash, sha512Hash, blake3Hash } = wireAnalysis(name);
  return {
    md5: mD5Hash,
    sha1: sha1Hash,
    sha256: sha256Hash,
    sha512: sha512Hash,
    blake3: blake3Hash,
  };
}

function analysisOf(name: string): Analysis {
  const report = {
    ...digestsOf(name),
    date: CLOCK.now(),
    tags: [],
    ssdeep: '3::',
    configs: {},
    fileName: name,
    sizeBytes: 1,
    duration: '00:00:00.0000001',
  };
  return { report, details: DETAILS };
}

/** A real store and queue, and an analyser whose samples end as the test says. */
class Stage {
  readonly finished = new EventTarget();
  readonly asked: { name: string; end(outcome: AnalysisOutcome): void }[] = [];
  readonly database = openSqliteDatabase(':memory:', readyForms);
  readonly runner: AnalysisRunner;
  #onAsked: (() => void) | undefined;
  atOnce = 0;

  constructor(test: TestContext, capacity: number) {
    this.runner = new AnalysisRunner({
      store: this.database.store,
      queue: this.database.queue,
      log: createLog('silent'),
      now: CLOCK.now,
      files: { read: () => Promise.resolve((async function* () {})()) },
      finished: (sha256) => this.finished.dispatchEvent(new Event(sha256)),
      analyser: {
        capacity,
        isolation: { means: [], lacks: [] },
        ruleProblems: [],
        analyse: (sample) => this.#analyse(sample),
        close: () => {
          for (const { end } of this.asked)
            end({ kind: 'failed', failure: 'interrupted', message: '' });
          return Promise.resolve();
        },
      },
    });
    test.after(async () => {
      await this.runner.stop();
      await this.database.store.close();
    });
  }

  #analyse({ fileName: name }: SampleToAnalyse): Promise<AnalysisOutcome> {
    const { promise, resolve } = Promise.withResolvers<AnalysisOutcome>();
    this.asked.push({ name, end: resolve });
    this.#onAsked?.();
    return promise;
  }

  async submit(name: string): Promise<void> {
    await this.#addUploader();
    await this.database.store.samples.submit({
      digests: digestsOf(name),
      fileName: name,
      sizeBytes: 1,
      uploadedBy: 'a1',
      uploadedAt: CLOCK.now(),
    });
    this.runner.wake();
  }

  #addUploader() {
    const quota = { limit: null, period: 'none' } as const;
    return this.database.store.accounts.addFirst(
      { id: 'a1', name: 'alice', roles: [], services: [], quota, expiresAt: undefined },
      { id: 't1', digest: Buffer.alloc(32), hint: '', label: '', expiresAt: undefined },
      { actor: 'test', at: CLOCK.now() },
    );
  }

  /** Waits until so many samples were given to the analyser. */
  async untilAsked(count: number): Promise<void> {
    while (this.asked.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onAsked = resolve;
      await promise;
    }
  }

  async end(at: number, outcome: AnalysisOutcome): Promise<void> {
    const asked = this.asked[at];
    assert.ok(asked);
    const told = once(this.finished, sha256Of(asked.name));
    asked.end(outcome);
    await told;
  }

  status(name: string) {
    return this.database.store.samples.status({ hex: sha256Of(name), kinds: ['sha256'] });
  }
}

describe('the runner of analyses', () => {
  it('takes a sample from the queue to its report', async (test) => {
    const stage = new Stage(test, 1);
    await stage.submit('a');
    await stage.untilAsked(1);
    assert.equal((await stage.status('a')).state, 'running');
    await stage.end(0, { kind: 'done', analysis: analysisOf('a') });
    assert.equal((await stage.status('a')).state, 'done');
    assert.equal(await stage.database.queue.depth('analyse'), 0);
  });

  it('works on no more than may be at once, and on the next as soon as one is done', async (test) => {
    const stage = new Stage(test, 2);
    for (const name of ['a', 'b', 'c']) await stage.submit(name);
    await stage.untilAsked(2);
    assert.equal(stage.asked.length, 2);
    await stage.end(0, { kind: 'done', analysis: analysisOf(stage.asked[0]?.name ?? '') });
    await stage.untilAsked(3);
    assert.deepEqual(new Set(stage.asked.map(({ name }) => name)), new Set(['a', 'b', 'c']));
  });

  it('says why there is no report', async (test) => {
    const stage = new Stage(test, 1);
    await stage.submit('a');
    await stage.untilAsked(1);
    await stage.end(0, { kind: 'failed', failure: 'bad-report', message: 'inside' });
    const { state, reason } = await stage.status('a');
    assert.equal(state, 'failed');
    assert.match(reason ?? '', /no valid report/);
    assert.equal(await stage.database.queue.depth('analyse'), 0);
  });

  it('leaves what it was interrupted in to whoever comes next', async (test) => {
    const stage = new Stage(test, 1);
    await stage.submit('a');
    await stage.untilAsked(1);
    await stage.runner.stop();
    const [job] = await stage.database.queue.claim('analyse', {
      limit: 1,
      leaseMs: 1000,
      now: CLOCK.now(),
    });
    assert.equal(job?.key, sha256Of('a'));
    assert.equal(job?.attempt, 1, 'an interruption is no attempt');
  });
});
