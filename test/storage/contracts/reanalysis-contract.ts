import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AnalysisDetails } from '../../../src/domain/samples/analysis.ts';
import type { AnalysisReport } from '../../../src/domain/samples/analysis-report.ts';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { Job, Queue } from '../../../src/ports/queue.ts';
import type { NewAccount, Store } from '../../../src/ports/store.ts';
import { later } from './feed-rig.ts';
import { audit, hex, NOW, newAccount, newSample, newToken, testForms } from './store-contract.ts';

const HOUR = 3_600_000;
const TLSH = `T1${'0'.repeat(62)}ABCDEF01`;
const DETAILS: AnalysisDetails = { evidence: [], indicators: [], facts: {}, members: [], c2s: [] };
/** More than wait at once. */
const MANY = 205;

const hashOf = (text: string) => parseFileHash(text) ?? assert.fail(`${text} is no hash`);

interface ReanalysisRig {
  readonly store: Store;
  readonly queue: Queue;
}

/** Files that are analysed again, on every store. */
export function reanalysisContract(name: string, open: () => Promise<ReanalysisRig>): void {
  let store: Store;
  let queue: Queue;
  let uploader: NewAccount;
  before(async () => {
    ({ store, queue } = await open());
    uploader = newAccount();
    await store.accounts.add(uploader, newToken(), audit);
  });
  after(() => store.close());
  /** No test sees the jobs and the run of another. */
  beforeEach(async () => {
    await store.samples.stopReanalysis(audit);
    for (let jobs = await lease(); jobs.length > 0; jobs = await lease())
      for (const job of jobs) await finish(job);
  });

  const lease = () => queue.lease('analyse', 100);
  const status = ({ sha256 }: AnalysisReport) => store.samples.status(hashOf(sha256));
  const again = ({ sha256 }: AnalysisReport) => store.samples.analyseAgain(sha256, audit);

  async function upload(report = newSample()): Promise<AnalysisReport> {
    const { md5, sha1, sha256, sha512, blake3, sizeBytes, fileName } = report;
    await store.samples.submit({
      digests: { md5, sha1, sha256, sha512, blake3 },
      sizeBytes,
      fileName,
      uploadedBy: uploader.id,
      uploadedAt: NOW,
    });
    return report;
  }

  const reports = new Map<string, AnalysisReport>();

  async function analysed(at: Date, report = newSample()): Promise<AnalysisReport> {
    await upload(report);
    reports.set(report.sha256, report);
    const [job] = (await lease()).filter(({ key }) => key === report.sha256);
    await finish(job ?? assert.fail('no job'), at);
    return report;
  }

  /** The work of a worker. */
  async function finish(job: Job, at = later(100 * HOUR)): Promise<void> {
    await store.samples.start(job.key);
    const report = reports.get(job.key);
    if (report === undefined) await store.samples.fail(job.key, 'unknown', at);
    else await store.samples.finish({ report, details: DETAILS }, at);
    assert.equal(await queue.complete(job), true);
  }

  const body = async ({ sha256 }: AnalysisReport) => {
    const account = newAccount();
    await store.accounts.add(account, newToken(), audit);
    const lookup = { accountId: account.id, hash: hashOf(sha256), now: NOW };
    const { body: found, pending } = await store.samples.lookUp(lookup);
    return { report: found, pending };
  };
  const failures = async () =>
    (await store.samples.failed({ after: undefined, limit: 1000 })).map(({ sha256 }) => sha256);

  describe(`${name} file that is analysed again`, () => {
    it('keeps its report until the new one replaces it', async () => {
      const report = await analysed(later(HOUR));
      assert.equal(await again(report), 'queued');
      assert.equal(await again(report), 'pending');
      const [job] = await lease();
      assert.equal(job?.key, report.sha256);
      assert.equal((await store.samples.start(report.sha256))?.state, 'done');
      assert.equal(await again(report), 'pending');
      assert.deepEqual(await status(report), { state: 'done' });
      const kept = { report: testForms.analysis(report), pending: false };
      assert.deepEqual(await body(report), kept);
      const unfinished = await store.samples.unfinished();
      assert.equal(unfinished.count, 0);

      const tags = [{ heat: 10, name: 'LANTERN' }];
      const newer = { ...report, date: later(2 * HOUR), tags };
      const c2 = { host: `${hex(8)}.example.invalid`, port: 4444 };
      const details = { ...DETAILS, tlsh: TLSH, c2s: [{ ...c2, family: 'LANTERN' }] };
      const outcome = await store.samples.finish({ report: newer, details }, later(2 * HOUR));
      assert.equal(outcome, 'replaced');
      await queue.complete(job);
      assert.deepEqual(await body(report), { report: testForms.analysis(newer), pending: false });
      const { samples: found } = await store.search.samplesOf(c2, 10);
      assert.deepEqual(
        found.map(({ sha256 }) => sha256),
        [report.sha256],
      );
      const similar = await store.samples.similar({
        accountId: uploader.id,
        by: 'tlsh',
        to: TLSH,
        limit: 50,
        now: NOW,
      });
      assert.ok(similar.found?.some(({ sha256 }) => sha256 === report.sha256));
      // The job is done: a worker that comes late starts nothing.
      assert.equal(await store.samples.start(report.sha256), undefined);
      assert.equal(await again(report), 'queued');
    });

    it('keeps its report if the new analysis fails, and is listed as failed', async () => {
      const report = await analysed(later(HOUR));
      await again(report);
      const [job] = await lease();
      await store.samples.start(report.sha256);
      const count = await store.samples.countFailed();
      await store.samples.fail(report.sha256, 'too slow', later(2 * HOUR), 2);
      await queue.complete(job ?? assert.fail());
      assert.deepEqual(await status(report), { state: 'done' });
      assert.equal((await body(report)).report, testForms.analysis(report));
      assert.equal(await store.samples.countFailed(), count + 1);
      const [failed] = await store.samples.failed({ after: undefined, limit: 1 });
      assert.partialDeepStrictEqual(failed, {
        sha256: report.sha256,
        reason: 'too slow',
        attempts: 2,
      });
      // Late failures of the same attempt change nothing.
      await store.samples.fail(report.sha256, 'late', later(3 * HOUR));
      assert.equal(await again(report), 'queued');
      assert.ok(!(await failures()).includes(report.sha256));
    });

    it('is no longer listed as failed after an import', async () => {
      const report = await analysed(later(HOUR));
      await again(report);
      await store.samples.fail(report.sha256, 'too slow', later(2 * HOUR));
      assert.ok((await failures()).includes(report.sha256));
      await store.samples.putAll([{ ...report, fileName: 'imported' }], later(3 * HOUR));
      assert.ok(!(await failures()).includes(report.sha256));
    });

    it('is removed with its job', async () => {
      const report = await analysed(later(HOUR));
      await again(report);
      await store.samples.purge(report.sha256, 'asked for', audit);
      assert.deepEqual(await lease(), []);
      assert.equal(await again(report), 'absent');
    });
  });

  describe(`${name} run over all files`, () => {
    it('queues those analysed before a time, once, and is finished', async () => {
      const [first, second] = [await analysed(later(1000)), await analysed(later(2000))];
      const newer = await analysed(later(3000));
      const imported = newSample();
      await store.samples.putAll([imported], later(0));
      await upload(imported);
      const failed = await upload();
      await store.samples.fail(failed.sha256, 'broke', later(500));
      for (const job of await lease()) await queue.complete(job);
      assert.equal(await store.samples.startReanalysis(later(3000), audit), 'started');
      assert.equal(await store.samples.startReanalysis(later(3000), audit), 'running');
      assert.equal((await store.samples.reanalysis()).remaining, 2);
      assert.equal(await store.samples.queueReanalyses(later(HOUR)), 2);
      assert.equal(await store.samples.queueReanalyses(later(HOUR)), 0);
      const jobs = await lease();
      assert.deepEqual(jobs.map(({ key }) => key).sort(), [first.sha256, second.sha256].sort());
      const progress = await store.samples.reanalysis();
      assert.partialDeepStrictEqual(progress, { waiting: 2, remaining: 0 });
      assert.partialDeepStrictEqual(progress.run, {
        state: 'finished',
        before: later(3000),
        startedBy: audit.actor,
        startedAt: audit.at,
        endedAt: later(HOUR),
        queued: 2,
      });
      for (const job of jobs) await finish(job);
      assert.equal((await store.samples.reanalysis()).waiting, 0);
      // Only what was not analysed since.
      assert.equal(await store.samples.startReanalysis(later(3000), audit), 'started');
      assert.equal(await store.samples.queueReanalyses(later(2 * HOUR)), 0);
      assert.equal(await store.samples.startReanalysis(later(3001), audit), 'started');
      assert.equal(await store.samples.queueReanalyses(later(2 * HOUR)), 1);
      const [last = assert.fail(), ...none] = await lease();
      assert.deepEqual([last.key, none], [newer.sha256, []]);
      await finish(last);
      const [entry] = (await store.audit.list({ limit: 1 })).entries;
      assert.partialDeepStrictEqual(entry, { action: 'reanalysis.start' });
    });

    it('leaves imported reports', async () => {
      const report = await analysed(later(4000));
      await store.samples.putAll([{ ...report, fileName: 'imported' }], later(HOUR));
      await store.samples.startReanalysis(later(4001), audit);
      while ((await store.samples.queueReanalyses(later(HOUR))) > 0);
      assert.deepEqual(
        (await lease()).filter(({ key }) => key === report.sha256),
        [],
      );
      assert.equal(await again(report), 'queued');
    });

    it('lets all uploads pass, also of an account with many', async () => {
      const old = await analysed(later(5000));
      await store.samples.startReanalysis(later(5001), audit);
      while ((await store.samples.queueReanalyses(later(HOUR))) > 0);
      const uploads = [await upload(), await upload(), await upload()];
      const order: string[] = [];
      for (let jobs = await queue.lease('analyse', 1); jobs.length > 0; ) {
        const [job = assert.fail()] = jobs;
        order.push(job.key);
        reports.set(job.key, reports.get(job.key) ?? uploads[order.length - 1] ?? old);
        await finish(job);
        jobs = await queue.lease('analyse', 1);
      }
      assert.deepEqual(
        order.slice(0, 3),
        uploads.map(({ sha256 }) => sha256),
      );
      assert.ok(order.slice(3).includes(old.sha256));
      // The turns of accounts go on from where they were.
      const next = [await upload(), await upload()];
      const jobs = await lease();
      assert.deepEqual(
        jobs.map(({ key }) => key),
        next.map(({ sha256 }) => sha256),
      );
    });

    it('adds the jobs that a node of an older version has completed', async () => {
      const report = await analysed(later(6000));
      await again(report);
      for (const job of await lease()) await queue.complete(job);
      assert.equal(await store.samples.startReanalysis(later(0), audit), 'started');
      const [job = assert.fail(), ...none] = await lease();
      assert.deepEqual([job.key, none], [report.sha256, []]);
      await finish(job);
    });

    it('queues few at once, and none after it is stopped', async () => {
      const before = new Set(reports.keys());
      for (let number = 0; number < MANY; number += 1) await analysed(later(10_000 + number));
      await store.samples.startReanalysis(later(20_000), audit);
      // Those that do not get the lock in time queue nothing.
      const several = Array.from({ length: 4 }, () => store.samples.queueReanalyses(later(HOUR)));
      for (const { reason } of rejectedOf(await Promise.allSettled(several)))
        assert.partialDeepStrictEqual(reason, { code: 'unavailable' });
      const { waiting, remaining, run } = await store.samples.reanalysis();
      assert.ok(waiting > 0 && waiting <= 200, `${waiting} wait`);
      assert.equal(run?.queued, waiting);
      assert.ok(remaining >= MANY - 200, `${remaining} are left`);
      await store.samples.stopReanalysis(audit);
      const leased = [...(await lease()), ...(await lease()), ...(await lease())];
      for (const job of leased) await finish(job);
      // On a slow machine the leases of other tests end, and their jobs come again.
      const jobs = leased.filter(({ key }) => reports.has(key) && !before.has(key));
      assert.equal(jobs.length, waiting);
      assert.equal(new Set(jobs.map(({ key }) => key)).size, waiting);
      assert.equal(await store.samples.queueReanalyses(later(HOUR)), 0);
      const stopped = await store.samples.reanalysis();
      assert.partialDeepStrictEqual(stopped, { waiting: 0, remaining });
      assert.equal(stopped.run?.state, 'stopped');
      assert.equal((await store.audit.list({ limit: 1 })).entries[0]?.action, 'reanalysis.stop');
      // Started again with the same time, it goes on.
      await store.samples.startReanalysis(later(20_000), audit);
      assert.equal((await store.samples.reanalysis()).remaining, remaining);
      assert.equal(await store.samples.queueReanalyses(later(HOUR)), remaining);
    });
  });
}

function rejectedOf(results: readonly PromiseSettledResult<number>[]) {
  return results.filter((result) => result.status === 'rejected');
}
