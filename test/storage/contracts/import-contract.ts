import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AnalysisReport } from '../../../src/domain/samples/analysis-report.ts';
import { type FileHash, parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import { parseSearchInput } from '../../../src/domain/search-query.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { StoreOutcome } from '../../../src/ports/sample-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { testRandom } from '../../builders.ts';
import { asRead } from './feed-rig.ts';
import { word } from './search-contract.ts';
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

const LATER = new Date('2026-08-26T11:00:00.000Z');
const FEEDS = ['first-feed', 'second-feed'] as const;
const HASHES = ['sha256', 'blake3', 'sha512'] as const;

const hashOf = (text: string): FileHash => parseFileHash(text) ?? assert.fail(`${text} is no hash`);
const soughtOf = (text: string) =>
  parseSearchInput(text) ?? assert.fail(`${text} cannot be sought`);

/** With a unique name and fuzzy hash. */
function newFile(members: Partial<AnalysisReport> = {}): AnalysisReport {
  const letters = Buffer.from(hex(60), 'hex').toString('base64');
  const ssdeep = `96:${letters.slice(0, 50)}:${letters.slice(50, 75)}`;
  return newSample({ ssdeep, fileName: word(), ...members });
}

/** Another analysis of the same file. */
function changed(file: AnalysisReport, members: Partial<AnalysisReport> = {}): AnalysisReport {
  return { ...file, fileName: word(), ...members };
}

/** Hashes that all start with these digits. */
function beginning(digits: string): Pick<AnalysisReport, (typeof HASHES)[number]> {
  const filled = (length: number) => digits + hex(64).slice(0, length - digits.length);
  return { sha256: filled(64), blake3: filled(64), sha512: filled(128) };
}

/**
 * An import of many analyses has the same result as importing them one by one: two stores get the
 * same analyses, one in a single call and the other one after the other, and all their reads are
 * compared.
 */
export function importContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store, of many reports at once`, () => {
    const reporter = newAccount({ quota: { limit: null, period: 'none' } });
    let atOnce: Store;
    let oneByOne: Store;
    before(async () => {
      atOnce = await open();
      oneByOne = await open();
      await onBoth(prepare);
    });
    after(() => onBoth((store) => store.close()));

    async function onBoth(work: (store: Store) => Promise<unknown>): Promise<void> {
      for (const store of [atOnce, oneByOne]) await work(store);
    }

    async function prepare(store: Store): Promise<void> {
      await store.accounts.add(reporter, newToken(), audit);
      for (const slug of FEEDS) await store.services.add(newService({ slug }), audit);
    }

    /** A report of the file in a feed, by the same id in both stores. */
    async function reported(
      { sha256 }: AnalysisReport,
      service: (typeof FEEDS)[number] = FEEDS[0],
      tags: readonly string[] = ['tag'],
    ): Promise<NewReport> {
      const report = newReport(service, reporter, { tags, sha256 });
      await onBoth((store) => store.reports.create(report));
      return report;
    }

    const stored = (...files: readonly AnalysisReport[]) =>
      onBoth((store) => store.samples.putAll(files, NOW));

    async function uploaded({ fileName, sizeBytes, ...digests }: AnalysisReport): Promise<void> {
      const upload = { digests, fileName, sizeBytes, uploadedBy: reporter.id, uploadedAt: NOW };
      await onBoth((store) => store.samples.submit(upload));
    }

    /** Imports the lines into both stores, and compares. Returns the outcomes. */
    async function put(lines: readonly AnalysisReport[]): Promise<readonly StoreOutcome[]> {
      const outcomes = await atOnce.samples.putAll(lines, LATER);
      const single: StoreOutcome[] = [];
      for (const line of lines) single.push(...(await oneByOne.samples.putAll([line], LATER)));
      assert.deepEqual(outcomes, single);
      assert.deepEqual(await feedsOf(atOnce), await feedsOf(oneByOne));
      await onBoth(indexAll);
      const distinct = [...new Set(lines)];
      // One after the other: a thousand reads at once would wait too long for a connection.
      for (const line of distinct)
        assert.deepEqual(await seenOf(atOnce, line), await seenOf(oneByOne, line));
      assert.deepEqual(await faultsOf(atOnce), []);
      return outcomes;
    }

    async function indexAll(store: Store): Promise<void> {
      while ((await store.samples.indexSimilar(50)) > 0);
    }

    async function bodyOf(store: Store, hash: string): Promise<string | undefined> {
      const asked = { accountId: reporter.id, hash: hashOf(hash), now: NOW };
      return (await store.samples.lookUp(asked)).body;
    }

    const found = async (store: Store, text: string) =>
      (await store.search.search({ input: soughtOf(text), limit: 50 })).hits;

    async function seenOf(store: Store, line: AnalysisReport) {
      const { samples } = store;
      const hash = hashOf(line.sha256);
      const alike = { accountId: reporter.id, to: line.ssdeep, limit: 50, now: NOW };
      return {
        bodies: await Promise.all(HASHES.map((kind) => bodyOf(store, line[kind]))),
        status: await samples.status(hash),
        details: await samples.details(hash),
        byName: await found(store, line.fileName),
        byMd5: await found(store, line.md5),
        similar: (await samples.similar(alike)).found,
      };
    }

    async function feedsOf(store: Store) {
      const seen = FEEDS.map(async (scope) => ({
        list: await store.feeds.list(
          {
            scope,
            filter: {},
            order: 'asc',
            after: undefined,
            limit: 1000,
          },
          asRead,
        ),
        changes: await store.feeds.changes({ scope, since: new Map(), limit: 1000 }, asRead),
        terms: await Promise.all(
          ['LANTERN', 'BEACON', 'EMBER', 'tag'].map((one) => found(store, one)),
        ),
      }));
      return await Promise.all(seen);
    }

    async function faultsOf(store: Store): Promise<readonly string[]> {
      const faults: string[] = [];
      for (const check of store.examination.checks)
        for await (const { wrong } of check.run()) faults.push(...wrong);
      return faults;
    }

    it('treats a repeated file as stored by the earlier line', async () => {
      const [file, other] = [newFile(), newFile()];
      const newer = changed(file);
      assert.deepEqual(await put([file, file, other, newer, other, newer, file]), [
        'added',
        'unchanged',
        'added',
        'replaced',
        'unchanged',
        'unchanged',
        'replaced',
      ]);
      assert.equal(await bodyOf(atOnce, file.sha512), testForms.analysis(file));
      assert.deepEqual(await found(atOnce, newer.fileName), []);
    });

    it('refuses a line that shares only some hashes with an earlier line', async () => {
      const file = newFile();
      const impostors = HASHES.map((kind) => newFile({ [kind]: file[kind] }));
      // Nothing was stored for the conflicting files, so their own hashes are unused.
      const free = newFile({ blake3: impostors[0]?.blake3 ?? '' });
      assert.deepEqual(await put([file, ...impostors, free, newFile()]), [
        'added',
        'conflict',
        'conflict',
        'conflict',
        'added',
        'added',
      ]);
    });

    it('allows the SHA-256 of one file to be the BLAKE3 of another', async () => {
      const file = newFile();
      const other = newFile({ blake3: file.sha256 });
      const itself = newFile({ blake3: other.sha256 });
      assert.deepEqual(await put([file, other, itself]), ['added', 'added', 'added']);
      assert.equal(await bodyOf(atOnce, file.sha256), testForms.analysis(file));
    });

    it('finds files whose hashes have the same or adjacent prefixes', async () => {
      const digits = hex(6);
      const [alike, next] = [`${digits}0`, `${digits}1`];
      await stored(newFile(beginning(alike)));
      const lines = [next, alike, next, alike].map((one) => newFile(beginning(one)));
      const [first = assert.fail()] = lines;
      assert.deepEqual(await put([...lines, changed(first)]), [
        ...Array(lines.length).fill('added'),
        'replaced',
      ]);
      for (const line of lines.slice(1))
        for (const kind of HASHES)
          assert.equal(await bodyOf(atOnce, line[kind]), testForms.analysis(line));
    });

    it('stores nothing if more hashes share a prefix than it has ids', async () => {
      const digits = hex(8);
      const lines = Array.from({ length: 17 }, () => newFile({ sha256: digits + hex(24) }));
      const other = newFile();
      await assert.rejects(atOnce.samples.putAll([other, ...lines], LATER), /begin like/);
      assert.equal(await bodyOf(atOnce, other.sha256), undefined);
    });

    it('renames the reports in feeds, each as a change of its feed, in the order of the lines', async () => {
      const [file, other, same, none] = [newFile(), newFile(), newFile(), newFile()];
      await stored(same, changed(other, { configs: { BEACON: {} } }));
      const first = await reported(file);
      const second = await reported(file, FEEDS[1], ['LANTERN', 'tag']);
      const third = await reported(other, FEEDS[1]);
      await reported(same);
      await reported(none, FEEDS[0], ['BEACON']);
      const again = changed(file, { configs: { EMBER: {} } });
      const positions = await Promise.all(FEEDS.map((one) => lastSequence(one)));
      const lines = [file, other, changed(same), again, changed(none, { configs: {} })];
      assert.deepEqual(await put(lines), ['added', 'replaced', 'replaced', 'replaced', 'added']);
      for (const [{ service, id }, expected] of [
        [first, 'EMBER'],
        [second, 'EMBER'],
        [third, 'LANTERN'],
      ] as const)
        assert.equal((await atOnce.reports.find(service, id))?.name, expected);
      // The first feed has LANTERN, then EMBER; the second the same report, named after its first
      // tag, and one more.
      assert.deepEqual(
        await Promise.all(FEEDS.map((one) => lastSequence(one))),
        [2, 2].map((changes, index) => (positions[index] ?? 0) + changes),
      );
    });

    async function lastSequence(slug: string): Promise<number> {
      const { reports } = await atOnce.feeds.list(
        {
          scope: slug,
          filter: {},
          order: 'desc',
          after: undefined,
          limit: 1000,
        },
        asRead,
      );
      return Math.max(0, ...reports.map(({ sequence }) => sequence));
    }

    it('replaces the fuzzy hash, the words and the details of files', async () => {
      const [kept, unlike, ours] = [newFile(), newFile(), newFile()];
      await stored(kept, unlike);
      const c2s = [{ host: `${word()}.example`, port: 443, family: 'LANTERN' }];
      const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
      await onBoth((store) => store.samples.finish({ report: ours, details }, NOW));
      const { ssdeep } = newFile();
      const lines = [changed(kept), changed(unlike, { ssdeep }), changed(ours), newFile()];
      assert.deepEqual(await put(lines), ['replaced', 'replaced', 'replaced', 'added']);
      assert.equal(await atOnce.samples.details(hashOf(ours.sha256)), undefined);
      for (const text of [c2s[0]?.host ?? '', kept.fileName, unlike.fileName])
        assert.deepEqual(await found(atOnce, text), []);
      assert.deepEqual((await seenOf(atOnce, unlike)).similar, []);
    });

    it('stores nothing for removed files, and completes failed uploads', async () => {
      const [removed, failed, waiting] = [newFile(), newFile(), newFile()];
      await stored(removed);
      await onBoth((store) => store.samples.purge(removed.sha256, 'law', audit));
      await uploaded(failed);
      await uploaded(waiting);
      await onBoth((store) => store.samples.fail(failed.sha256, 'too slow', NOW));
      const outcomes = await put([newFile(), removed, failed, removed, waiting]);
      assert.deepEqual(outcomes, ['added', 'removed', 'added', 'removed', 'added']);
      const stateOf = async ({ sha256 }: AnalysisReport) =>
        (await atOnce.samples.status(hashOf(sha256))).state;
      assert.deepEqual(await Promise.all([removed, failed, waiting].map(stateOf)), [
        'unknown',
        'done',
        'queued',
      ]);
    });

    it('does all of that among many lines', async () => {
      const random = testRandom('import');
      const below = (limit: number) => Buffer.from(random(4)).readUInt32LE() % limit;
      const digits = hex(6);
      const files = Array.from({ length: 50 }, (_, index) =>
        newFile(index % 12 === 0 ? beginning(`${digits}${index % 8}`) : {}),
      );
      const anyFile = () => files[below(files.length)] ?? assert.fail();
      await stored(...files.slice(0, 20));
      for (let count = 0; count < 15; count += 1) await reported(anyFile(), FEEDS[below(2)]);
      const lines = Array.from({ length: 100 }, () => {
        const file = anyFile();
        const configs = { [['LANTERN', 'BEACON', 'EMBER'][below(3)] ?? '']: {} };
        const ways = [file, file, changed(file, { configs }), newFile({ sha512: file.sha512 })];
        return ways[below(ways.length)] ?? file;
      });
      assert.deepEqual([...new Set(await put(lines))].sort(), [
        'added',
        'conflict',
        'replaced',
        'unchanged',
      ]);
    });

    it('adds a file once, and assigns a hash to one file, in concurrent imports', async () => {
      const files = Array.from({ length: 20 }, () => newFile());
      const impostors = files.map(({ sha512 }) => newFile({ sha512 }));
      const imports = [files, files.toReversed(), impostors.toReversed(), impostors];
      const outcomes = await Promise.all(
        imports.map((lines) => atOnce.samples.putAll(lines, LATER)),
      );
      const added = outcomes.flat().filter((one) => one === 'added');
      assert.equal(added.length, files.length);
      for (const [index, { sha512 }] of files.entries()) {
        const claimants = [files[index], impostors[index]].map(
          (one) => one && testForms.analysis(one),
        );
        assert.ok(claimants.includes(await bodyOf(atOnce, sha512)));
      }
      assert.deepEqual(await faultsOf(atOnce), []);
    });

    it('accepts more than one batch', async () => {
      const lines = Array.from({ length: 450 }, () => newFile());
      const outcomes = await atOnce.samples.putAll(lines, LATER);
      assert.deepEqual(outcomes, Array(lines.length).fill('added'));
      const { bodies } = await atOnce.samples.lookUpMany({
        accountId: reporter.id,
        hashes: lines.map(({ blake3 }) => hashOf(blake3)),
        now: NOW,
      });
      assert.deepEqual(bodies, lines.map(testForms.analysis));
    });
  });
}
