import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { sha256Of, TestClock, wireAnalysis } from '../../test/builders.ts';
import { Problem } from '../domain/problem.ts';
import type { Analysis } from '../domain/samples/analysis.ts';
import { serializers } from '../http/responses/present.ts';
import { createLog } from '../observability/log.ts';
import type { AnalysisOutcome, SampleToAnalyse } from '../ports/analyser.ts';
import type { Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { openSqliteDatabase } from '../queue/sqlite.ts';
import { AnalysisRunner } from './run-analysis.ts';

const CLOCK = new TestClock();
const DETAILS = { evidence: [], indicators: [], facts: {}, members: [], c2s: [] };

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

/** What stands between the runner and its store and queue, to make them fail. */
interface Between {
  readonly samples?: Partial<Store['samples']>;
  readonly queue?: (queue: Queue) => Partial<Queue>;
}

/** A real store and queue, and an analyser whose samples end as the test says. */
class Stage {
  readonly finished = new EventTarget();
  readonly asked: { name: string; end(outcome: AnalysisOutcome): void }[] = [];
  readonly database = openSqliteDatabase(':memory:', serializers);
  readonly logged: string[] = [];
  readonly observed: string[] = [];
  readonly runner: AnalysisRunner;
  #onAsked: (() => void) | undefined;

  constructor(test: TestContext, capacity: number, between: Between = {}) {
    const { store, queue } = this.database;
    this.runner = new AnalysisRunner({
      store: { samples: { ...store.samples, ...between.samples } },
      queue: { ...queue, ...between.queue?.(queue) },
      log: createLog('warn', { write: (line) => this.logged.push(line) }),
      now: CLOCK.now,
      files: { read: () => Promise.resolve((async function* () {})()) },
      finished: (sha256) => this.finished.dispatchEvent(new Event(sha256)),
      observer: {
        began: () => this.observed.push('began'),
        ended: ({ kind }, seconds) => {
          assert.ok(seconds >= 0 && seconds < 60);
          this.observed.push(kind);
        },
      },
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

  async submit(name: string, uploadedBy = 'a1'): Promise<void> {
    await this.#addUploader(uploadedBy);
    await this.database.store.samples.submit({
      digests: digestsOf(name),
      fileName: name,
      sizeBytes: 1,
      uploadedBy,
      uploadedAt: CLOCK.now(),
    });
    this.runner.wake();
  }

  async #addUploader(id: string): Promise<void> {
    const { accounts } = this.database.store;
    if ((await accounts.find(id, CLOCK.now())) !== undefined) return;
    const quota = { limit: null, period: 'none' } as const;
    const digest = Buffer.from(sha256Of(id), 'hex');
    await accounts.add(
      { id, name: id, roles: [], services: [], quota, expiresAt: undefined },
      { id: `token of ${id}`, digest, hint: '', label: '', expiresAt: undefined },
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

  /** Ends the analysis, and waits until its job is nobody's. */
  async endAndGiveBack(at: number, outcome: AnalysisOutcome): Promise<void> {
    this.asked[at]?.end(outcome);
    await this.untilLogged(/analysis failed/);
    await turns();
  }

  async untilLogged(words: RegExp): Promise<void> {
    while (!this.logged.some((line) => words.test(line))) await turns();
  }

  /** The job that is due then. */
  async jobIn(seconds: number) {
    const now = new Date(CLOCK.now().getTime() + seconds * 1000);
    return (await this.database.queue.claim('analyse', { limit: 1, leaseMs: 1000, now }))[0];
  }

  status(name: string) {
    return this.database.store.samples.status({ hex: sha256Of(name), kinds: ['sha256'] });
  }
}

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((go) => setImmediate(go));
}

const OUTAGE: AnalysisOutcome = { kind: 'failed', failure: 'unavailable', message: 'no worker' };
const away = () => Promise.reject(new Problem('unavailable'));

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

  it('works for another account next, however much of one is queued', async (test) => {
    const stage = new Stage(test, 2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await stage.submit(name);
    await stage.untilAsked(2);
    await stage.submit('small', 'a2');
    await stage.end(0, { kind: 'done', analysis: analysisOf(stage.asked[0]?.name ?? '') });
    await stage.untilAsked(3);
    assert.equal(stage.asked[2]?.name, 'small');
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

  it('holds a crash against the sample, and tries it again a moment later', async (test) => {
    const stage = new Stage(test, 1);
    await stage.submit('a');
    await stage.untilAsked(1);
    await stage.endAndGiveBack(0, { kind: 'failed', failure: 'crashed', message: 'SIGSEGV' });
    assert.equal(await stage.jobIn(0.9), undefined);
    assert.equal((await stage.jobIn(1))?.attempt, 2);
  });

  it('does not hold it against the sample that there was no worker', async (test) => {
    const stage = new Stage(test, 1);
    await stage.submit('a');
    await stage.untilAsked(1);
    await stage.endAndGiveBack(0, OUTAGE);
    assert.equal(await stage.jobIn(9), undefined);
    assert.equal((await stage.jobIn(10))?.attempt, 1);
    assert.equal((await stage.status('a')).state, 'running');
  });

  it('begins nothing for a while where there was no worker', async (test) => {
    const stage = new Stage(test, 1);
    for (const name of ['a', 'b', 'c']) await stage.submit(name);
    await stage.untilAsked(1);
    await stage.endAndGiveBack(0, OUTAGE);
    stage.runner.wake();
    await turns();
    assert.equal(stage.asked.length, 1);
  });

  it('does not hold it against the sample that its report could not be stored', async (test) => {
    const stage = new Stage(test, 1, { samples: { finish: away } });
    await stage.submit('a');
    await stage.untilAsked(1);
    await stage.endAndGiveBack(0, { kind: 'done', analysis: analysisOf('a') });
    assert.equal((await stage.jobIn(10))?.attempt, 1);
  });

  it('tries again, a few times, where we fail ourselves', async (test) => {
    const finish = () => Promise.reject(new TypeError('a defect'));
    const stage = new Stage(test, 1, { samples: { finish } });
    await stage.submit('a');
    await stage.untilAsked(1);
    await stage.endAndGiveBack(0, { kind: 'done', analysis: analysisOf('a') });
    assert.equal((await stage.jobIn(1))?.attempt, 2);
  });

  it('tells the queue what became of a job until it is heard', async (test) => {
    let isAway = true;
    const queue = ({ complete }: Queue): Partial<Queue> => ({
      complete: (job) => (isAway ? away() : complete(job)),
    });
    const stage = new Stage(test, 1, { queue });
    await stage.submit('a');
    await stage.untilAsked(1);
    stage.asked[0]?.end({ kind: 'done', analysis: analysisOf('a') });
    await stage.untilLogged(/could not be noted/);
    assert.equal(await stage.database.queue.depth('analyse'), 1);
    isAway = false;
    await once(stage.finished, sha256Of('a'));
    assert.equal(await stage.database.queue.depth('analyse'), 0);
  });

  it('tells whoever watches of each try, and how it ended', async (test) => {
    const stage = new Stage(test, 1);
    await stage.submit('a');
    await stage.untilAsked(1);
    assert.deepEqual(stage.observed, ['began']);
    await stage.end(0, { kind: 'done', analysis: analysisOf('a') });
    await stage.submit('b');
    await stage.untilAsked(2);
    await stage.endAndGiveBack(1, { kind: 'failed', failure: 'crashed', message: 'SIGSEGV' });
    assert.deepEqual(stage.observed, ['began', 'done', 'began', 'again']);
  });

  it('goes on where nothing could be claimed for a while', async (test) => {
    let isAway = true;
    const queue = ({ claim }: Queue): Partial<Queue> => ({
      claim: (kind, wish) => (isAway ? away() : claim(kind, wish)),
    });
    const stage = new Stage(test, 1, { queue });
    await stage.submit('a');
    await stage.untilLogged(/could be claimed/);
    isAway = false;
    stage.runner.wake();
    await stage.untilAsked(1);
  });
});
