import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Analysis, AnalysisDetails } from '../../../src/domain/samples/analysis.ts';
import type { AnalysisReport } from '../../../src/domain/samples/analysis-report.ts';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { Queue } from '../../../src/ports/queue.ts';
import type { SimilarQuery, Upload } from '../../../src/ports/sample-store.ts';
import type { NewAccount, Store } from '../../../src/ports/store.ts';
import { countJobs } from '../../queue/count-jobs.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newReport,
  newSample,
  newService,
  newToken,
  testForms,
} from './store-contract.ts';

const DETAILS: AnalysisDetails = { evidence: [], indicators: [], facts: {}, members: [], c2s: [] };
const LATER = new Date('2026-08-26T11:00:00.000Z');

const hashOf = (text: string) => parseFileHash(text) ?? assert.fail(`${text} is no hash`);

/**
 * A fuzzy hash whose first half begins with those letters; no two others have anything in common.
 */
function ssdeepOf(beginning = '', blockSize = 96): string {
  const letters = Buffer.from(hex(60), 'hex').toString('base64');
  return `${blockSize}:${(beginning + letters).slice(0, 50)}:${letters.slice(50, 75)}`;
}

interface SamplesRig {
  readonly store: Store;
  readonly queue: Queue;
}

/** Uploads, analyses, lookups and similar files on every store. */
export function samplesContract(name: string, open: () => Promise<SamplesRig>): void {
  describe(`${name} store of samples`, () => {
    let store: Store;
    let queue: Queue;
    let uploader: NewAccount;
    before(async () => {
      ({ store, queue } = await open());
      uploader = await account();
    });
    after(() => store.close());

    async function account(members: Partial<NewAccount> = {}): Promise<NewAccount> {
      const made = newAccount(members);
      assert.equal(typeof (await store.accounts.add(made, newToken(), audit)), 'object');
      return made;
    }

    const withUnits = (limit: number) => account({ quota: { limit, period: 'none' } });

    function uploadOf(report: AnalysisReport, members: Partial<Upload> = {}): Upload {
      const { md5, sha1, sha256, sha512, blake3, sizeBytes, fileName } = report;
      return {
        digests: { md5, sha1, sha256, sha512, blake3 },
        sizeBytes,
        fileName,
        uploadedBy: uploader.id,
        uploadedAt: NOW,
        ...members,
      };
    }

    const analysisOf = (report: AnalysisReport): Analysis => ({ report, details: DETAILS });
    const hashesOf = ({ sha256, blake3, sha512 }: AnalysisReport) =>
      [sha256, blake3, sha512].map(hashOf);
    const remaining = async ({ id }: NewAccount) =>
      (await store.accounts.find(id, NOW))?.quota.remaining;

    describe('uploads', () => {
      it('makes one sample and one job of the same bytes, however many send them at once', async () => {
        const depth = await countJobs(queue);
        const report = newSample();
        const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
        const answers = await Promise.all(
          names.map((fileName) => store.samples.submit(uploadOf(report, { fileName }))),
        );
        // Over several connections any of them may be the first.
        const first = answers.findIndex(({ outcome }) => outcome === 'queued');
        assert.deepEqual(
          answers.map(({ outcome }) => outcome).with(first, 'known'),
          Array(20).fill('known'),
        );
        assert.ok(answers.every(({ status }) => status.state === 'queued'));
        assert.equal(await countJobs(queue), depth + 1);
        assert.equal((await store.samples.find(hashOf(report.sha256)))?.fileName, names[first]);
      });

      it('finds an upload in any state by each of its hashes', async () => {
        const report = newSample();
        const upload = uploadOf(report);
        await store.samples.submit(upload);
        const expected = { ...upload, reason: undefined };
        for (const hash of hashesOf(report))
          assert.deepEqual(await store.samples.find(hash), { ...expected, state: 'queued' });
        assert.deepEqual(await store.samples.start(report.sha256), {
          ...expected,
          state: 'running',
        });
        assert.equal(await store.samples.find(hashOf(hex(32))), undefined);
        assert.equal(await store.samples.find(hashOf(hex(64))), undefined);
      });

      it('marks the upload of a file with an imported analysis as done, without a job', async () => {
        const report = newSample();
        await store.samples.putAll([report], NOW);
        assert.equal(await store.samples.find(hashOf(report.sha256)), undefined);
        assert.deepEqual(await store.samples.status(hashOf(report.blake3)), { state: 'done' });
        const depth = await countJobs(queue);
        assert.deepEqual(await store.samples.submit(uploadOf(report)), {
          outcome: 'known',
          status: { state: 'done' },
        });
        assert.equal(await countJobs(queue), depth);
        assert.equal((await store.samples.find(hashOf(report.sha512)))?.state, 'done');
      });

      it('returns the status of a sample by each of its hashes', async () => {
        const report = newSample();
        const states = async () =>
          Promise.all(
            hashesOf(report).map(async (hash) => (await store.samples.status(hash)).state),
          );
        assert.deepEqual(await states(), Array(3).fill('unknown'));
        await store.samples.submit(uploadOf(report));
        assert.deepEqual(await states(), Array(3).fill('queued'));
        await store.samples.start(report.sha256);
        assert.deepEqual(await states(), Array(3).fill('running'));
        await store.samples.finish(analysisOf(report), LATER);
        assert.deepEqual(await states(), Array(3).fill('done'));
      });

      it('counts the uploads whose analysis has not ended', async () => {
        const before = await store.samples.unfinished();
        const [one, other] = [newSample(), newSample()];
        await store.samples.submit(uploadOf(one, { uploadedAt: new Date(0) }));
        await store.samples.submit(uploadOf(other));
        await store.samples.start(one.sha256);
        const { count, oldestUploadedAt } = await store.samples.unfinished();
        assert.equal(count, before.count + 2);
        assert.deepEqual(oldestUploadedAt, new Date(0));
        assert.equal((await store.samples.unfinished()).running, before.running + 1);
        await store.samples.fail(one.sha256, 'too slow', LATER);
        await store.samples.finish(analysisOf(other), LATER);
        assert.deepEqual(await store.samples.unfinished(), before);
      });

      it('does not restart a failed analysis, and returns the reason', async () => {
        const report = newSample();
        await store.samples.submit(uploadOf(report));
        const depth = await countJobs(queue);
        await store.samples.fail(report.sha256, 'too slow', LATER);
        const status = { state: 'failed', reason: 'too slow' };
        assert.deepEqual(await store.samples.status(hashOf(report.sha256)), status);
        assert.deepEqual(await store.samples.submit(uploadOf(report)), {
          outcome: 'known',
          status,
        });
        assert.equal(await countJobs(queue), depth);
        assert.equal(await store.samples.start(report.sha256), undefined);
      });

      it('lists failed uploads, newest failure first, with reason and attempts', async () => {
        const known = await store.samples.countFailed();
        const reports = [newSample(), newSample(), newSample()];
        // Later than those of other tests; two failed at the same moment.
        const times = [1, 2, 2].map((hour) => new Date(Date.UTC(2027, 0, 1, hour)));
        for (const [index, report] of reports.entries()) {
          await store.samples.submit(uploadOf(report));
          await store.samples.fail(report.sha256, `reason ${index}`, times[index] ?? NOW, 3);
        }
        assert.equal(await store.samples.countFailed(), known + 3);
        const first = await store.samples.failed({ after: undefined, limit: 2 });
        const second = await store.samples.failed({ after: first.at(-1), limit: 1 });
        const [oldest = assert.fail(), ...both] = reports;
        assert.deepEqual(
          [...first, ...second].map(({ sha256 }) => sha256),
          [
            ...both
              .map(({ sha256 }) => sha256)
              .sort()
              .reverse(),
            oldest.sha256,
          ],
        );
        assert.deepEqual(second[0], {
          sha256: oldest.sha256,
          fileName: oldest.fileName,
          sizeBytes: oldest.sizeBytes,
          uploadedBy: uploader.name,
          uploadedAt: NOW,
          failedAt: times[0],
          reason: 'reason 0',
          attempts: 3,
        });
      });

      it('queues a failed upload again with a new job', async () => {
        const report = newSample();
        const { sha256 } = report;
        assert.equal(await store.samples.analyseAgain(sha256, audit), 'absent');
        await store.samples.submit(uploadOf(report));
        assert.equal(await store.samples.analyseAgain(sha256, audit), 'pending');
        const leased = await queue.lease('analyse', 1000);
        const [job = assert.fail()] = leased.filter(({ key }) => key === sha256);
        for (const other of leased) if (other !== job) await queue.release(other);
        await store.samples.fail(sha256, 'too slow', LATER, 2);
        assert.equal(await store.samples.analyseAgain(sha256, audit), 'queued');
        assert.equal(await queue.complete(job), false);
        const again = await queue.lease('analyse', 1000);
        for (const one of again) await queue.release(one);
        const jobs = again.filter(({ key }) => key === sha256);
        assert.deepEqual(
          jobs.map(({ attempt }) => attempt),
          [1],
        );
        assert.equal((await store.samples.start(sha256))?.state, 'running');
        await store.samples.finish(analysisOf(report), LATER);
      });

      it('completes a failed upload when its analysis is imported', async () => {
        const report = newSample();
        await store.samples.submit(uploadOf(report));
        await store.samples.fail(report.sha256, 'too slow', LATER);
        assert.deepEqual(await store.samples.putAll([report], LATER), ['added']);
        assert.deepEqual(await store.samples.status(hashOf(report.sha256)), { state: 'done' });
      });

      it('leaves an upload that is done as it is', async () => {
        const report = newSample();
        await store.samples.submit(uploadOf(report));
        await store.samples.finish(analysisOf(report), LATER);
        assert.equal(await store.samples.start(report.sha256), undefined);
        await store.samples.fail(report.sha256, 'late', LATER);
        assert.deepEqual(await store.samples.status(hashOf(report.sha256)), { state: 'done' });
      });

      it('starts no unknown upload', async () => {
        assert.equal(await store.samples.start(hex(32)), undefined);
        await store.samples.fail(hex(32), 'who?', LATER);
      });
    });

    describe('analyses', () => {
      it('stores report, details and state together', async () => {
        const report = newSample();
        const indicators = [{ kind: 'host' as const, value: 'a.example.invalid', offset: 7 }];
        const details = { ...DETAILS, indicators };
        await store.samples.submit(uploadOf(report));
        assert.equal(await store.samples.finish({ report, details }, LATER), 'added');
        const { id } = await account();
        for (const hash of hashesOf(report)) {
          const { body, pending } = await store.samples.lookUp({ accountId: id, hash, now: NOW });
          assert.deepEqual([body, pending], [testForms.analysis(report), false]);
          const stored = (await store.samples.details(hash)) ?? '';
          assert.deepEqual(JSON.parse(stored), details);
          assert.equal(await store.samples.detailsSize(hash), Buffer.byteLength(stored));
        }
        assert.equal(await store.samples.finish({ report, details }, LATER), 'unchanged');
      });

      it('has no details of an imported analysis', async () => {
        const report = newSample();
        await store.samples.putAll([report], NOW);
        assert.equal(await store.samples.details(hashOf(report.sha256)), undefined);
        await store.samples.finish(analysisOf(report), NOW);
        assert.notEqual(await store.samples.details(hashOf(report.sha256)), undefined);
        await store.samples.putAll([{ ...report, fileName: 'other' }], NOW);
        assert.equal(await store.samples.details(hashOf(report.sha256)), undefined);
      });

      it('renames the reports in the feeds', async () => {
        const service = newService();
        await store.services.add(service, audit);
        const sample = newSample();
        const reported = newReport(service.slug, uploader, { sha256: sample.sha256 });
        await store.reports.create(reported);
        await store.samples.submit(uploadOf(sample));
        await store.samples.finish(analysisOf(sample), LATER);
        const found = await store.reports.find(service.slug, reported.id);
        assert.deepEqual([found?.name, found?.sequence], ['LANTERN', 2]);
      });

      it('fails an upload whose hashes belong to another file', async () => {
        const [claimed, report] = [newSample(), newSample()];
        await store.samples.submit(uploadOf(report));
        await store.samples.putAll([{ ...claimed, blake3: report.blake3 }], NOW);
        assert.equal(await store.samples.finish(analysisOf(report), LATER), 'conflict');
        const { state, reason } = await store.samples.status({
          hex: report.sha256,
          kinds: ['sha256'],
        });
        assert.equal(state, 'failed');
        assert.match(reason ?? '', /another file/);
      });

      it('is pending until the analysis is stored or has failed', async () => {
        const { id } = await account();
        const [report, broken] = [newSample(), newSample()];
        const pending = async (one: AnalysisReport) =>
          Promise.all(
            hashesOf(one).map(
              async (hash) =>
                (await store.samples.lookUp({ accountId: id, hash, now: NOW })).pending,
            ),
          );
        assert.deepEqual(await pending(report), [false, false, false]);
        await store.samples.submit(uploadOf(report));
        await store.samples.submit(uploadOf(broken));
        assert.deepEqual(await pending(report), [true, true, true]);
        await store.samples.start(report.sha256);
        assert.deepEqual(await pending(report), [true, true, true]);
        await store.samples.finish(analysisOf(report), LATER);
        await store.samples.fail(broken.sha256, 'no', LATER);
        assert.deepEqual(await pending(report), [false, false, false]);
        assert.deepEqual(await pending(broken), [false, false, false]);
      });
    });

    describe('removal', () => {
      it('leaves nothing of a sample but its tombstone', async () => {
        const report = newSample({ ssdeep: ssdeepOf() });
        const depth = await countJobs(queue);
        await store.samples.submit(uploadOf(report));
        await store.samples.finish(analysisOf(report), LATER);
        assert.equal(await store.samples.purge(report.sha256, 'law', audit), 'deleted');
        assert.equal(await store.samples.purge(report.sha256, 'law', audit), 'absent');
        assert.equal(await countJobs(queue), depth);
        const { id } = await account();
        for (const hash of hashesOf(report)) {
          assert.equal(await store.samples.find(hash), undefined);
          assert.equal(await store.samples.details(hash), undefined);
          assert.deepEqual(await store.samples.status(hash), { state: 'unknown' });
        }
        const to = report.ssdeep;
        const alike = await store.samples.similar({ accountId: id, to, limit: 50, now: NOW });
        assert.deepEqual(alike.found, []);
      });

      it('accepts neither the upload nor the analysis of a removed file', async () => {
        const report = newSample();
        await store.samples.submit(uploadOf(report));
        await store.samples.start(report.sha256);
        assert.equal(await store.samples.purge(report.sha256, 'law', audit), 'deleted');
        assert.equal(await store.samples.finish(analysisOf(report), LATER), 'removed');
        assert.deepEqual(await store.samples.submit(uploadOf(report)), {
          outcome: 'removed',
          status: { state: 'unknown' },
        });
        assert.equal(await store.samples.find(hashOf(report.sha256)), undefined);
        assert.equal(await store.samples.start(report.sha256), undefined);
      });
    });

    describe('lookups of many', () => {
      it('answers each hash in order, for one unit each', async () => {
        const caller = await withUnits(10);
        const [known, waiting] = [newSample(), newSample()];
        await store.samples.putAll([known], NOW);
        await store.samples.submit(uploadOf(waiting));
        const { served, quota, bodies, pending } = await store.samples.lookUpMany({
          accountId: caller.id,
          hashes: [undefined, hashOf(known.blake3), hashOf(hex(32)), hashOf(waiting.sha512)],
          now: NOW,
        });
        assert.deepEqual([served, quota.remaining], [true, 6]);
        assert.deepEqual(bodies, [undefined, testForms.analysis(known), undefined, undefined]);
        assert.deepEqual(pending, [false, false, false, true]);
        assert.equal(await remaining(caller), 6);
      });

      it('returns a large analysis only on request, by any of its hashes', async () => {
        const caller = await withUnits(10);
        const tags = Array.from({ length: 9 }, () => ({ heat: 1, name: 'ü'.repeat(1000) }));
        const large = { ...newSample(), tags };
        const body = testForms.analysis(large);
        await store.samples.putAll([large], NOW);
        const hashes = [large.sha256, large.blake3, large.sha512].map(hashOf);
        const many = await store.samples.lookUpMany({ accountId: caller.id, hashes, now: NOW });
        assert.deepEqual(many.bodies, [undefined, undefined, undefined]);
        const one = await store.samples.lookUp({ accountId: caller.id, hash: hashes[1], now: NOW });
        assert.deepEqual([one.served, one.body, one.pending], [true, undefined, false]);
        for (const found of [...many.large, one.large]) {
          assert.ok(found);
          assert.equal(found.sizeBytes, Buffer.byteLength(body));
          assert.equal(await store.samples.body(found.key), body);
        }
        assert.equal(await remaining(caller), 7, 'the batch took its units, the lookup none yet');
        const key = one.large?.key ?? 0;
        const read = await store.samples.lookUpLarge({ accountId: caller.id, key, now: NOW });
        assert.deepEqual([read.served, read.body, read.quota.remaining], [true, body, 6]);
        await store.samples.purge(large.sha256, 'a test', { actor: 'test', at: NOW });
        assert.equal(await store.samples.body(key), undefined);
        const gone = await store.samples.lookUpLarge({ accountId: caller.id, key, now: NOW });
        assert.deepEqual([gone.served, gone.body, gone.quota.remaining], [true, undefined, 5]);
      });

      it('spends the unit of a large analysis when it is read, exactly, among concurrent lookups', async () => {
        const caller = await withUnits(3);
        const tags = Array.from({ length: 9 }, () => ({ heat: 1, name: 'ü'.repeat(1000) }));
        const large = { ...newSample(), tags };
        const small = newSample();
        await store.samples.putAll([large, small], NOW);
        const ask = ({ sha256 }: typeof small, isForDetails = false) =>
          store.samples.lookUp({
            accountId: caller.id,
            hash: hashOf(sha256),
            now: NOW,
            isForDetails,
          });
        const answers = await Promise.all([ask(small), ask(large), ask(large)]);
        assert.deepEqual(
          answers.map(({ served }) => served),
          [true, true, true],
        );
        assert.equal(await remaining(caller), 2, 'only the small one was charged');
        await ask(large, true);
        assert.equal(await remaining(caller), 1, 'details cost their unit at once');
        const key = answers[1]?.large?.key ?? 0;
        const reads = await Promise.all(
          [1, 2].map(() => store.samples.lookUpLarge({ accountId: caller.id, key, now: NOW })),
        );
        assert.deepEqual(reads.map(({ served }) => served).sort(), [false, true]);
        assert.equal(await remaining(caller), 0);
      });

      it('refunds the units of a batch', async () => {
        const caller = await withUnits(3);
        const hashes = [hashOf(hex(32)), hashOf(hex(32))];
        const { charge } = await store.samples.lookUpMany({
          accountId: caller.id,
          hashes,
          now: NOW,
        });
        assert.ok(charge);
        assert.equal(await remaining(caller), 1);
        await store.samples.refund(charge);
        assert.equal(await remaining(caller), 3);
      });

      it('spends nothing if there are too few units for all', async () => {
        const caller = await withUnits(2);
        const hashes = [hashOf(hex(32)), hashOf(hex(32)), hashOf(hex(32))];
        const ask = (some: typeof hashes) =>
          store.samples.lookUpMany({ accountId: caller.id, hashes: some, now: NOW });
        const refused = await ask(hashes);
        assert.deepEqual(
          [refused.served, refused.quota.remaining, refused.bodies, refused.pending],
          [false, 2, [], []],
        );
        assert.equal((await ask(hashes.slice(1))).served, true);
        assert.equal(await remaining(caller), 0);
      });

      it('is exact when batches, lookups and searches spend the last units concurrently', async () => {
        const caller = await withUnits(20);
        const accountId = caller.id;
        const hashes = [hashOf(hex(32)), hashOf(hex(32)), hashOf(hex(32))];
        const units = async (count: number, call: Promise<{ readonly served: boolean }>) =>
          (await call).served ? count : 0;
        const calls = Array.from({ length: 10 }, () => [
          units(3, store.samples.lookUpMany({ accountId, hashes, now: NOW })),
          units(1, store.samples.lookUp({ accountId, hash: hashes[0], now: NOW })),
          units(1, store.samples.similar({ accountId, to: undefined, limit: 1, now: NOW })),
        ]).flat();
        const taken = (await Promise.all(calls)).reduce((sum, count) => sum + count, 0);
        assert.equal(taken, 20);
        assert.equal(await remaining(caller), 0);
      });
    });

    describe('similar files', () => {
      const ask = async (to: SimilarQuery['to'], limit = 50) => {
        const { id } = await account();
        return store.samples.similar({ accountId: id, to, limit, now: NOW });
      };
      const namesOf = async (to: SimilarQuery['to'], limit?: number) =>
        (await ask(to, limit)).found?.map(({ fileName }) => fileName);

      /** Reports whose fuzzy hashes begin alike: each with fewer letters than the one before. */
      async function family(lengths: readonly number[]): Promise<readonly AnalysisReport[]> {
        const letters = Buffer.from(hex(60), 'hex').toString('base64');
        const reports = lengths.map((length) =>
          newSample({ ssdeep: ssdeepOf(letters.slice(0, length)), fileName: `${length}` }),
        );
        await store.samples.putAll(reports, NOW);
        return reports;
      }

      it('finds files with common grams, best first, without the file itself', async () => {
        const [first] = await family([50, 20, 45, 35, 0]);
        for (const hash of hashesOf(first ?? assert.fail()))
          assert.deepEqual(await namesOf(hash), ['45', '35', '20']);
        assert.deepEqual(await namesOf(first?.ssdeep), ['50', '45', '35', '20']);
        assert.deepEqual(await namesOf(first?.ssdeep, 2), ['50', '45']);
      });

      it('returns the hash, score, name and tags of each', async () => {
        const ssdeep = ssdeepOf();
        const tags = [{ heat: 10, name: 'LANTERN' }];
        const report = newSample({ ssdeep, tags, fileName: 'ü' });
        await store.samples.putAll([report], NOW);
        assert.deepEqual((await ask(ssdeep)).found, [
          { sha256: report.sha256, score: 100, fileName: 'ü', tags },
        ]);
      });

      it('compares with half and double the block size', async () => {
        const shared = Buffer.from(hex(30), 'hex').toString('base64').slice(0, 25);
        const report = newSample({ ssdeep: `96:${'Qx'.repeat(20)}:${shared}` });
        await store.samples.putAll([report], NOW);
        assert.equal((await ask(`192:${shared}:abc`)).found?.length, 1);
        assert.equal((await ask(`384:${shared}:abc`)).found?.length, 0);
      });

      it('finds equal hashes that are too short for grams', async () => {
        const report = newSample({ ssdeep: '3:aBcD:aB', fileName: 'short' });
        await store.samples.putAll([report], NOW);
        assert.deepEqual(await namesOf('3:aBcD:aB'), ['short']);
        assert.deepEqual(await namesOf('3:aBcE:aB'), []);
      });

      it('spends one unit for any text', async () => {
        const caller = await withUnits(3);
        const found = [];
        for (const to of [hashOf(hex(32)), 'no fuzzy hash', undefined, ssdeepOf()])
          found.push(await store.samples.similar({ accountId: caller.id, to, limit: 5, now: NOW }));
        assert.deepEqual(
          found.map(({ served, quota }) => [served, quota.remaining]),
          [
            [true, 2],
            [true, 1],
            [true, 0],
            [false, 0],
          ],
        );
        assert.ok(found.every((answer) => answer.found === undefined && !answer.pending));
      });

      it('is pending while the file is being analysed', async () => {
        const report = newSample();
        await store.samples.submit(uploadOf(report));
        const { found, pending } = await ask(hashOf(report.blake3));
        assert.deepEqual([found, pending], [undefined, true]);
      });

      it('finds nothing like a file whose report has no fuzzy hash', async () => {
        const report = newSample({ ssdeep: 'none' });
        await store.samples.putAll([report], NOW);
        assert.deepEqual((await ask(hashOf(report.sha256))).found, []);
      });

      it('returns 50 at most', async () => {
        const ssdeep = ssdeepOf();
        await store.samples.putAll(
          Array.from({ length: 60 }, () => newSample({ ssdeep })),
          NOW,
        );
        await indexAll();
        assert.equal((await ask(ssdeep, 1000)).found?.length, 50);
      });

      it('finds an imported analysis after it was indexed', async () => {
        const ssdeep = ssdeepOf();
        const others = Array.from({ length: 30 }, () => newSample({ ssdeep: ssdeepOf() }));
        await store.samples.putAll([newSample({ ssdeep }), ...others], NOW);
        assert.equal((await ask(ssdeep)).found?.length, 0);
        assert.equal(await store.samples.indexSimilar(1), 1);
        await indexAll();
        assert.equal((await ask(ssdeep)).found?.length, 1);
      });

      it('finds an analysis made here at once', async () => {
        const report = newSample({ ssdeep: ssdeepOf() });
        await store.samples.submit(uploadOf(report));
        await store.samples.finish(analysisOf(report), LATER);
        assert.equal((await ask(report.ssdeep)).found?.length, 1);
      });

      it('finds a replaced analysis by its current content', async () => {
        const [before, now] = [ssdeepOf(), ssdeepOf()];
        const report = newSample({ ssdeep: before });
        await store.samples.putAll([report], NOW);
        await store.samples.putAll([{ ...report, fileName: 'renamed' }], NOW);
        assert.deepEqual(await namesOf(before), ['renamed']);
        await store.samples.putAll([{ ...report, ssdeep: now }], NOW);
        assert.deepEqual(await namesOf(before), []);
        assert.deepEqual(await namesOf(now), [report.fileName]);
      });

      describe('by TLSH', () => {
        const askTlsh = async (to: SimilarQuery['to'], limit = 50) => {
          const { id } = await account();
          return store.samples.similar({ accountId: id, by: 'tlsh', to, limit, now: NOW });
        };
        const closestTo = async (to: SimilarQuery['to'], limit?: number) =>
          (await askTlsh(to, limit)).found?.map(({ fileName, distance }) => [fileName, distance]);
        const analyse = async (tlsh: string | undefined, fileName: string) => {
          const report = newSample({ fileName });
          await store.samples.submit(uploadOf(report));
          const details = tlsh === undefined ? DETAILS : { ...DETAILS, tlsh };
          await store.samples.finish({ report, details }, LATER);
          return report;
        };
        const base = () => `T1${hex(35).toUpperCase()}`;
        /** The lowest bucket of so many bytes, from the last on, is one step away. */
        const moved = (digest: string, bytes: number) => {
          const raw = Buffer.from(digest.slice(2), 'hex');
          for (let at = raw.length - bytes; at < raw.length; at += 1) raw[at] = (raw[at] ?? 0) ^ 1;
          return `T1${raw.toString('hex').toUpperCase()}`;
        };

        it('finds close digests, nearest first, without the file itself', async () => {
          const digest = base();
          const first = await analyse(digest, 'first');
          await analyse(moved(digest, 20), 'twenty');
          await analyse(moved(digest, 3), 'three');
          await analyse(digest, 'same');
          await analyse(base(), 'other');
          const expected = [
            ['same', 0],
            ['three', 3],
            ['twenty', 20],
          ];
          for (const hash of hashesOf(first)) assert.deepEqual(await closestTo(hash), expected);
          assert.deepEqual(await closestTo(digest), [
            ['same', 0],
            ['first', 0],
            ...expected.slice(1),
          ]);
          assert.deepEqual(await closestTo(digest.slice(2).toLowerCase(), 1), [['same', 0]]);
        });

        it('finds digests that differ in every band by one step', async () => {
          const digest = base();
          await analyse(digest, 'one');
          const raw = Buffer.from(digest.slice(2), 'hex');
          for (let at = 3; at < raw.length; at += 2) raw[at] = (raw[at] ?? 0) ^ 1;
          assert.deepEqual(await closestTo(raw.toString('hex')), [['one', 16]]);
        });

        it('gives both measures of a file, whichever it is found by', async () => {
          const [digest, ssdeep] = [base(), ssdeepOf()];
          const reports = [newSample({ ssdeep }), newSample({ ssdeep })];
          for (const report of reports) {
            await store.samples.submit(uploadOf(report));
            await store.samples.finish({ report, details: { ...DETAILS, tlsh: digest } }, LATER);
          }
          const hash = hashOf(reports[0]?.sha256 ?? '');
          const measured = ({ found }: Awaited<ReturnType<typeof ask>>) =>
            found?.map(({ score, distance }) => [score, distance]);
          assert.deepEqual(measured(await ask(hash)), [[100, 0]]);
          assert.deepEqual(measured(await askTlsh(hash)), [[100, 0]]);
          assert.deepEqual(measured(await askTlsh(digest)), Array(2).fill([0, 0]));
          assert.deepEqual(measured(await ask(ssdeep)), Array(2).fill([100, undefined]));
        });

        it('refuses a file without a digest, and other texts', async () => {
          const { sha256 } = await analyse(undefined, 'none');
          const answer = await askTlsh(hashOf(sha256));
          assert.deepEqual([answer.found, answer.lacksTlsh], [undefined, true]);
          for (const text of [undefined, '', 'T1', ssdeepOf()])
            assert.equal((await askTlsh(text)).found, undefined);
        });

        it('forgets a digest with its analysis, and replaces it with the next', async () => {
          const [digest, next] = [base(), base()];
          const report = await analyse(digest, 'again');
          await store.samples.finish({ report, details: { ...DETAILS, tlsh: next } }, LATER);
          assert.deepEqual(await closestTo(digest), []);
          assert.deepEqual(await closestTo(next), [['again', 0]]);
          await store.samples.putAll([{ ...report, fileName: 'imported' }], LATER);
          assert.deepEqual(await closestTo(next), []);
          await store.samples.finish({ report, details: { ...DETAILS, tlsh: next } }, LATER);
          await store.samples.purge(report.sha256, 'asked for', audit);
          assert.deepEqual(await closestTo(next), []);
        });
      });

      async function indexAll(): Promise<void> {
        while ((await store.samples.indexSimilar(50)) > 0);
      }
    });
  });
}
