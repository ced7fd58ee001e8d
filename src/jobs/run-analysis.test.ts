import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { sha256Of, TestClock, wireAnalysis } from '../../test/builders.ts';
import { openMemoryStoreAndQueue } from '../../test/empty-store.ts';
import { Problem } from '../domain/problem.ts';
import type { Analysis } from '../domain/samples/analysis.ts';
import { serializers } from '../http/responses/present.ts';
import { createLog } from '../observability/log.ts';
import type { AnalysisOutcome, SampleToAnalyse } from '../ports/analyser.ts';
import { QUEUE_POLICIES, type Queue } from '../ports/queue.ts';
import type { Store } from '../ports/store.ts';
import { AnalysisRunner } from './run-analysis.ts';

const CLOCK = new TestClock();
/** Added to the time of the queue, to find what is due later. */
let queueDelayMs = 0;
const QUEUE_CLOCK = {
  now: () => new Date(CLOCK.now().getTime() + queueDelayMs),
  machineOffsetMs: () => undefined,
};
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

/** Replaces methods of the store and the queue, to make them fail. */
interface Overrides {
  readonly samples?: Partial<Store['samples']>;
  readonly queue?: (queue: Queue) => Partial<Queue>;
}

/** A real store and queue, and an analyser whose samples end as the test says. */
class AnalysisRig {
  readonly finished = new EventTarget();
  readonly asked: { name: string; end(outcome: AnalysisOutcome): void }[] = [];
  readonly database = openMemoryStoreAndQueue(serializers, QUEUE_CLOCK);
  readonly logged: string[] = [];
  readonly observed: string[] = [];
  readonly runner: AnalysisRunner;
  #onAsked: (() => void) | undefined;

  constructor(test: TestContext, capacity: number, overrides: Overrides = {}) {
    const { store, queue } = this.database;
    this.runner = new AnalysisRunner({
      store: { samples: { ...store.samples, ...overrides.samples } },
      queue: { ...queue, ...overrides.queue?.(queue) },
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
        isolation: { tier: 'runtime', means: [], lacks: [] },
        ruleProblems: [],
        counts: () => ({ running: 0, busy: 0, restarts: 0 }),
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

  /** Waits until the analyser has got this many samples. */
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
    const finished = once(this.finished, sha256Of(asked.name));
    asked.end(outcome);
    await finished;
  }

  /** Ends the analysis, and waits until its lease is over. */
  async endLease(at: number, outcome: AnalysisOutcome): Promise<void> {
    this.asked[at]?.end(outcome);
    await this.untilLogged(/analysis failed/);
    await turns();
  }

  async untilLogged(words: RegExp): Promise<void> {
    while (!this.logged.some((line) => words.test(line))) await turns();
  }

  /** Leases a job that is due then. */
  async jobIn(seconds: number) {
    queueDelayMs = seconds * 1000;
    const [job] = await this.database.queue.lease('analyse', 1);
    queueDelayMs = 0;
    return job;
  }

  /** All jobs, leased or not: the leases of a minute ago are lost. */
  async countJobs(): Promise<number> {
    queueDelayMs = 60_000;
    const count = await this.database.queue.countPending('analyse');
    queueDelayMs = 0;
    return count;
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
  it('leases a sample, analyses it and stores the report', async (test) => {
    const rig = new AnalysisRig(test, 1);
    await rig.submit('a');
    await rig.untilAsked(1);
    assert.equal((await rig.status('a')).state, 'running');
    await rig.end(0, { kind: 'done', analysis: analysisOf('a') });
    assert.equal((await rig.status('a')).state, 'done');
    assert.equal(await rig.countJobs(), 0);
  });

  it('analyses as many at once as the analyser can, and the next when one is done', async (test) => {
    const rig = new AnalysisRig(test, 2);
    for (const name of ['a', 'b', 'c']) await rig.submit(name);
    await rig.untilAsked(2);
    assert.equal(rig.asked.length, 2);
    await rig.end(0, { kind: 'done', analysis: analysisOf(rig.asked[0]?.name ?? '') });
    await rig.untilAsked(3);
    assert.deepEqual(new Set(rig.asked.map(({ name }) => name)), new Set(['a', 'b', 'c']));
  });

  it('serves another account next, however many samples one has queued', async (test) => {
    const rig = new AnalysisRig(test, 2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) await rig.submit(name);
    await rig.untilAsked(2);
    await rig.submit('small', 'a2');
    await rig.end(0, { kind: 'done', analysis: analysisOf(rig.asked[0]?.name ?? '') });
    await rig.untilAsked(3);
    assert.equal(rig.asked[2]?.name, 'small');
  });

  it('stores the reason of a failed analysis', async (test) => {
    const rig = new AnalysisRig(test, 1);
    await rig.submit('a');
    await rig.untilAsked(1);
    await rig.end(0, { kind: 'failed', failure: 'bad-report', message: 'inside' });
    const { state, reason } = await rig.status('a');
    assert.equal(state, 'failed');
    assert.match(reason ?? '', /no valid report/);
    assert.equal(await rig.countJobs(), 0);
  });

  it('releases the job of an interrupted analysis', async (test) => {
    const rig = new AnalysisRig(test, 1);
    await rig.submit('a');
    await rig.untilAsked(1);
    await rig.runner.stop();
    const [job] = await rig.database.queue.lease('analyse', 1);
    assert.equal(job?.key, sha256Of('a'));
    assert.equal(job?.attempt, 1, 'an interruption does not count');
  });

  it('counts a crash as an attempt, and retries after a delay', async (test) => {
    const rig = new AnalysisRig(test, 1);
    await rig.submit('a');
    await rig.untilAsked(1);
    await rig.endLease(0, { kind: 'failed', failure: 'crashed', message: 'SIGSEGV' });
    assert.equal(await rig.jobIn(1.9), undefined);
    assert.equal((await rig.jobIn(2))?.attempt, 2);
  });

  it('counts no attempt if no worker was available', async (test) => {
    const rig = new AnalysisRig(test, 1);
    await rig.submit('a');
    await rig.untilAsked(1);
    await rig.endLease(0, OUTAGE);
    assert.equal(await rig.jobIn(9), undefined);
    assert.equal((await rig.jobIn(10))?.attempt, 1);
    assert.equal((await rig.status('a')).state, 'running');
  });

  it('leases nothing for a while if no worker was available', async (test) => {
    const rig = new AnalysisRig(test, 1);
    for (const name of ['a', 'b', 'c']) await rig.submit(name);
    await rig.untilAsked(1);
    await rig.endLease(0, OUTAGE);
    rig.runner.wake();
    await turns();
    assert.equal(rig.asked.length, 1);
  });

  it('counts no attempt if the report could not be stored', async (test) => {
    const rig = new AnalysisRig(test, 1, { samples: { finish: away } });
    await rig.submit('a');
    await rig.untilAsked(1);
    await rig.endLease(0, { kind: 'done', analysis: analysisOf('a') });
    assert.equal((await rig.jobIn(10))?.attempt, 1);
  });

  it('counts an unexpected exception as an attempt, and retries', async (test) => {
    const finish = () => Promise.reject(new TypeError('a defect'));
    const rig = new AnalysisRig(test, 1, { samples: { finish } });
    await rig.submit('a');
    await rig.untilAsked(1);
    await rig.endLease(0, { kind: 'done', analysis: analysisOf('a') });
    assert.equal((await rig.jobIn(2))?.attempt, 2);
  });

  it('repeats the report of a result until the queue accepts it', async (test) => {
    let isAway = true;
    const queue = ({ complete }: Queue): Partial<Queue> => ({
      complete: (job) => (isAway ? away() : complete(job)),
    });
    const rig = new AnalysisRig(test, 1, { queue });
    await rig.submit('a');
    await rig.untilAsked(1);
    rig.asked[0]?.end({ kind: 'done', analysis: analysisOf('a') });
    await rig.untilLogged(/could not be recorded/);
    assert.equal(await rig.countJobs(), 1);
    isAway = false;
    await once(rig.finished, sha256Of('a'));
    assert.equal(await rig.countJobs(), 0);
  });

  it('sends three heartbeats before a lease without any is lost', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const heartbeat = test.mock.fn(() => Promise.resolve(true));
    const rig = new AnalysisRig(test, 1, { queue: () => ({ heartbeat }) });
    await rig.submit('a');
    await rig.untilAsked(1);
    test.mock.timers.tick(QUEUE_POLICIES.analyse.heartbeatSeconds * 1000 - 500);
    assert.equal(heartbeat.mock.callCount(), 3);
  });

  it('reports the start and the end of each attempt to its observer', async (test) => {
    const rig = new AnalysisRig(test, 1);
    await rig.submit('a');
    await rig.untilAsked(1);
    assert.deepEqual(rig.observed, ['began']);
    await rig.end(0, { kind: 'done', analysis: analysisOf('a') });
    await rig.submit('b');
    await rig.untilAsked(2);
    await rig.endLease(1, { kind: 'failed', failure: 'crashed', message: 'SIGSEGV' });
    assert.deepEqual(rig.observed, ['began', 'done', 'began', 'again']);
  });

  it('leases again after leases have failed', async (test) => {
    let isAway = true;
    const queue = ({ lease }: Queue): Partial<Queue> => ({
      lease: (kind, limit) => (isAway ? away() : lease(kind, limit)),
    });
    const rig = new AnalysisRig(test, 1, { queue });
    await rig.submit('a');
    await rig.untilLogged(/could be leased/);
    isAway = false;
    rig.runner.wake();
    await rig.untilAsked(1);
  });
});
