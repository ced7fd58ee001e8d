import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AnalysisReport } from '../../../src/domain/samples/analysis-report.ts';
import { parseSearchInput } from '../../../src/domain/search-query.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { SearchAnswer, SearchHit } from '../../../src/ports/search-store.ts';
import type { NewAccount, Store } from '../../../src/ports/store.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newReport,
  newSample,
  newService,
  newToken,
} from './store-contract.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

/** A unique word of letters. */
export function word(): string {
  return hex(8).replace(/[0-9]/g, (digit) => String.fromCharCode(103 + Number(digit)));
}

/** A hit as text, for comparisons. */
function brief(hit: SearchHit): string {
  return hit.kind === 'report'
    ? `${hit.match} report ${hit.report.id}`
    : `${hit.match} sample ${hit.sha256}`;
}

/** The search on every store. */
export function searchContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} search`, () => {
    let store: Store;
    let reporter: NewAccount;
    let minutes = 0;
    before(async () => {
      store = await open();
      reporter = await account();
    });
    after(() => store.close());

    async function account(members: Partial<NewAccount> = {}): Promise<NewAccount> {
      const made = newAccount(members);
      assert.equal(typeof (await store.accounts.add(made, newToken(), audit)), 'object');
      return made;
    }

    async function feed(): Promise<string> {
      const service = newService();
      assert.equal(await store.services.add(service, audit), 'added');
      return service.slug;
    }

    /** Creates a report a minute later than the one before; its id. */
    async function report(service: string, members: Partial<NewReport> = {}): Promise<string> {
      minutes += 1;
      const asked = newReport(service, reporter, {
        tags: [],
        c2: { host: `${word()}.example`, port: 443 },
        reportedAt: new Date(NOW.getTime() + minutes * MINUTE_MS),
        ...members,
      });
      assert.equal((await store.reports.create(asked)).kind, 'created');
      return asked.id;
    }

    async function remove(service: string, id: string): Promise<void> {
      const by = { accountId: reporter.id, ownsFeed: false };
      const deletion = { id, by: reporter.name, at: NOW, reason: '' };
      assert.equal(await store.reports.delete(service, by, deletion), 'deleted');
    }

    async function analysed(members: Partial<AnalysisReport> = {}): Promise<AnalysisReport> {
      minutes += 1;
      const date = new Date(NOW.getTime() + minutes * MINUTE_MS);
      const sample = newSample({ date, configs: {}, ...members });
      await store.samples.putAll([sample], NOW);
      return sample;
    }

    async function uploaded(sample: AnalysisReport): Promise<void> {
      const { md5, sha1, sha256, sha512, blake3, sizeBytes, fileName } = sample;
      const digests = { md5, sha1, sha256, sha512, blake3 };
      const by = { uploadedBy: reporter.id, uploadedAt: NOW };
      await store.samples.submit({ digests, sizeBytes, fileName, ...by });
    }

    function answer(text: string, limit = 25): Promise<SearchAnswer> {
      return store.search.search({
        input: parseSearchInput(text) ?? assert.fail(`${text} cannot be searched for`),
        limit,
      });
    }

    async function ask(text: string, limit?: number): Promise<readonly SearchHit[]> {
      return (await answer(text, limit)).hits;
    }

    const found = async (text: string, limit?: number) => (await ask(text, limit)).map(brief);

    describe('reports', () => {
      it('are found by the hash of their file in all feeds, newest first', async () => {
        const [one, other] = [await feed(), await feed()];
        const sha256 = hex(32);
        const ids = [];
        for (const service of [one, other, one]) ids.push(await report(service, { sha256 }));
        await report(one);
        assert.deepEqual(
          await found(sha256.toUpperCase()),
          ids.toReversed().map((id) => `sha256 report ${id}`),
        );
        assert.deepEqual(await found(sha256, 2), [
          `sha256 report ${ids[2]}`,
          `sha256 report ${ids[1]}`,
        ]);
      });

      it('are returned completely', async () => {
        const service = await feed();
        const id = await report(service, { tags: ['a', 'b'] });
        const stored = await store.reports.find(service, id);
        const [hit] = await ask(stored?.sha256 ?? '');
        assert.deepEqual(hit, { kind: 'report', match: 'sha256', report: stored });
      });

      it('are found by their C2, before others of the same host', async () => {
        const [one, other] = [await feed(), await feed()];
        const host = `${word()}.example`;
        const first = await report(one, { c2: { host, port: 443 } });
        const second = await report(other, { c2: { host, port: 443 } });
        const port = await report(other, { c2: { host, port: 80 } });
        await report(one, { c2: { host: `sub.${host}`, port: 443 } });
        assert.deepEqual(await found(`${host.replace('.', '[.]')}:443`), [
          `c2 report ${second}`,
          `c2 report ${first}`,
          `host report ${port}`,
        ]);
      });

      it('are found by their host, before those below it', async () => {
        const service = await feed();
        const name = word();
        const c2 = (host: string) => ({ c2: { host, port: 1 } });
        const host = await report(service, c2(`${name}.example`));
        const deep = await report(service, c2(`a.b.${name}.example`));
        const near = await report(await feed(), c2(`x.${name}.example`));
        await report(service, c2(`not${name}.example`));
        await report(service, c2(`${name}.example.invalid`));
        const below = [`suffix report ${near}`, `suffix report ${deep}`];
        assert.deepEqual(await found(`${name}.example`), [`host report ${host}`, ...below]);
        assert.deepEqual(await found(`*.${name}.EXAMPLE`), below);
        assert.deepEqual(await found(`[.]${name}.example`), below);
      });

      it('are found by an IP address in any notation', async () => {
        const service = await feed();
        const tail = `${Number.parseInt(hex(1), 16)}.${Number.parseInt(hex(1), 16)}`;
        const four = await report(service, { c2: { host: `10.7.${tail}`, port: 1 } });
        const [group] = [hex(2).replace(/^0+/, '') || '1'];
        const six = await report(service, { c2: { host: `2001:db8::${group}`, port: 2 } });
        assert.deepEqual(await found(`10[.]7[.]${tail}`), [`host report ${four}`]);
        assert.deepEqual(await found(`[2001:DB8::${group}]`), [`host report ${six}`]);
        assert.deepEqual(await found(`[2001:db8::${group}]:2`), [`c2 report ${six}`]);
      });

      it('are found by a tag, a name or a reporter in any case, newest first', async () => {
        const text = word();
        const other = await account({ name: text.toUpperCase() });
        const tagged = await report(await feed(), { tags: ['x', text] });
        const named = await report(await feed(), { tags: [text.toUpperCase(), 'y'] });
        const by = { reporterId: other.id, reportedBy: other.name };
        const reported = await report(await feed(), by);
        assert.deepEqual(await found(text), [
          `reporter report ${reported}`,
          `name report ${named}`,
          `tag report ${tagged}`,
        ]);
      });

      it('are found by words of their tags and by prefixes of words, after exact ones', async () => {
        const text = word();
        const service = await feed();
        const exact = await report(service, { tags: ['x', text] });
        const among = await report(service, { tags: ['x', `Dark-${text}.b`] });
        const begun = await report(service, { tags: ['x', `${text}ing loader`] });
        assert.deepEqual(await found(text), [
          `tag report ${exact}`,
          `text report ${begun}`,
          `text report ${among}`,
        ]);
        assert.deepEqual(await found(`loader ${text}`), [`text report ${begun}`]);
        assert.deepEqual(await found(text.slice(0, 9)), [
          `text report ${begun}`,
          `text report ${among}`,
          `text report ${exact}`,
        ]);
        assert.deepEqual(await found(`${text} absent`), []);
      });

      it('are each found once, with the best match', async () => {
        const text = word();
        const other = await account({ name: text });
        const id = await report(await feed(), {
          tags: [text, `${text} two`],
          c2: { host: text, port: 1 },
          reporterId: other.id,
          reportedBy: other.name,
        });
        assert.deepEqual(await found(text), [`host report ${id}`]);
      });

      it('are no longer found by anything when they were deleted or purged', async () => {
        const text = word();
        const service = await feed();
        const members = {
          tags: [text],
          c2: { host: `${text}.example`, port: 1 },
          sha256: hex(32),
        };
        const gone = await report(service, members);
        const purged = await report(service, members);
        await remove(service, gone);
        assert.deepEqual(await found(text), [`name report ${purged}`]);
        assert.deepEqual(await found(`.${text}.example`), []);
        await store.reports.purge({ id: purged, by: 'x', at: NOW, reason: '' }, audit);
        for (const asked of [text, text.slice(0, 6), `${text}.example:1`, `${text}.example`])
          assert.deepEqual(await found(asked), []);
        assert.deepEqual(await found(members.sha256), []);
        const again = await report(service, members);
        for (const asked of [text, text.slice(0, 6), `${text}.example:1`, members.sha256])
          assert.equal((await ask(asked)).length, 1);
        assert.deepEqual(await found(`${text}.example`), [`host report ${again}`]);
      });

      it('are found by the name that an analysis gives them, and by the old one as the tag it is', async () => {
        const [family, tag] = [word().toUpperCase(), word()];
        const sample = newSample({ configs: { [family]: {} } });
        const id = await report(await feed(), { tags: [tag], sha256: sample.sha256 });
        assert.deepEqual(await found(tag), [`name report ${id}`]);
        await store.samples.putAll([sample], NOW);
        assert.deepEqual(await found(tag), [`tag report ${id}`]);
        assert.ok((await found(family.toLowerCase())).includes(`name report ${id}`));
      });

      it('are found with their status, even when they have expired', async () => {
        const text = word();
        const other = await account({ name: `${text}-account` });
        const service = await feed();
        const id = await report(service, {
          tags: [text],
          c2: { host: `${text}.example`, port: 7 },
          reporterId: other.id,
          reportedBy: other.name,
        });
        const later = new Date(NOW.getTime() + YEAR_MS);
        while ((await store.feeds.expire(later, 100)) > 0);
        const asks = [text, `${text}.example:7`, `${text}.example`, `${text}-account`];
        for (const asked of asks) {
          const [hit] = await ask(asked);
          assert.ok(hit?.kind === 'report', asked);
          assert.deepEqual([hit.report.id, hit.report.status], [id, 'expired']);
        }
      });

      it('are found among more feeds than the limit', async () => {
        const tag = word();
        const ids: string[] = [];
        for (let turn = 0; turn < 8; turn += 1)
          ids.push(await report(await feed(), { tags: [tag] }));
        assert.deepEqual(
          await found(tag, 3),
          ids
            .toReversed()
            .slice(0, 3)
            .map((id) => `name report ${id}`),
        );
      });

      it('are found when many are created at once', async () => {
        const tag = word();
        const service = await feed();
        await Promise.all(
          Array.from({ length: 30 }, (_, at) => report(service, { tags: [tag, `${tag}-${at}`] })),
        );
        assert.equal((await ask(tag, 100)).length, 30);
        assert.equal((await ask(`${tag}-7`)).length, 1);
      });
    });

    describe('networks', () => {
      it('find the reports of their addresses, newest first', async () => {
        const [one, other] = [await feed(), await feed()];
        const c2 = (host: string) => ({ c2: { host, port: 1 } });
        const low = await report(one, c2('198.18.4.0'));
        const high = await report(other, c2('198.18.7.255'));
        await report(one, c2('198.18.8.0'));
        await report(one, c2('198.18.40.1'));
        const expected = [`network report ${high}`, `network report ${low}`];
        assert.deepEqual(await found('198.18.4.0/22'), expected);
        assert.deepEqual(await found('198[.]18[.]4[.]7/22'), expected);
        assert.deepEqual(await found('198.18.4.0/32'), [`host report ${low}`]);
        assert.deepEqual(await found('198.18.7.128/25'), [`network report ${high}`]);
      });

      it('of IPv6 find their addresses in every notation', async () => {
        const service = await feed();
        const hosts = ['2001:db8:9::7', '2001:db8:9:0:1::', '2001:db8:9:0:1:2:3:4'];
        const ids: string[] = [];
        for (const host of hosts) ids.push(await report(service, { c2: { host, port: 1 } }));
        await report(service, { c2: { host: '2001:db8:9:1::7', port: 1 } });
        assert.deepEqual(
          await found('2001:db8:9::/64'),
          ids.toReversed().map((id) => `network report ${id}`),
        );
        assert.equal((await ask('2001:db8:9::/48')).length, 4);
        assert.equal((await ask('2001:db8:8::/47')).length, 4);
      });

      it('say that there are more than the limit', async () => {
        const service = await feed();
        for (const last of [1, 2, 3])
          await report(service, { c2: { host: `198.19.77.${last}`, port: 1 } });
        assert.equal((await answer('198.19.77.0/24', 2)).hasMore, true);
        assert.equal((await answer('198.19.77.0/24', 3)).hasMore, false);
      });
    });

    describe('the start of a hash', () => {
      it('finds files by any of their five hashes, and the reports of them', async () => {
        const sample = await analysed();
        const id = await report(await feed(), { sha256: sample.sha256 });
        const expected = [`prefix report ${id}`, `prefix sample ${sample.sha256}`];
        for (const kind of ['sha256', 'blake3', 'sha512', 'sha1', 'md5'] as const)
          for (const digits of [8, 9, 13, 14, 31])
            assert.deepEqual(
              (await found(sample[kind].slice(0, digits).toUpperCase())).toSorted(),
              expected,
              `${kind} ${digits}`,
            );
        assert.deepEqual((await found(sample.sha512.slice(0, 127))).toSorted(), expected);
      });

      it('finds by the shortened form only the hash with that end', async () => {
        const { sha256 } = await analysed();
        const shortened = (end: string) => found(`${sha256.slice(0, 8)}…${end}`);
        assert.deepEqual(await shortened(sha256.slice(-8)), [`prefix sample ${sha256}`]);
        const other = `${sha256.slice(-8, -1)}${sha256.endsWith('0') ? '1' : '0'}`;
        assert.deepEqual(await shortened(other), []);
      });

      it('finds the reports of files that are not known, and files without an analysis', async () => {
        const start = hex(5).slice(0, 9);
        const [one, other] = [start.padEnd(64, '0'), start.padEnd(64, 'f')];
        const service = await feed();
        const first = await report(service, { sha256: one });
        const second = await report(service, { sha256: other });
        await report(service, {
          sha256: `${start.slice(0, 8)}`.padEnd(64, start.endsWith('7') ? '8' : '7'),
        });
        assert.deepEqual(await found(start), [`prefix report ${second}`, `prefix report ${first}`]);
        const pending = newSample();
        await uploaded(pending);
        for (const kind of ['sha256', 'blake3', 'sha512'] as const)
          assert.deepEqual(await found(pending[kind].slice(0, 12)), [
            `prefix sample ${pending.sha256}`,
          ]);
      });

      it('finds a tag of the same letters first', async () => {
        const start = hex(6);
        const tagged = await report(await feed(), { tags: [start] });
        const id = await report(await feed(), { sha256: start.padEnd(64, 'a') });
        assert.deepEqual(await found(start), [`name report ${tagged}`, `prefix report ${id}`]);
      });

      it('says if there are more files than are read', async () => {
        const start = hex(4);
        const service = await feed();
        for (let turn = 0; turn < 20; turn += 1)
          await report(service, { sha256: `${start}${hex(28)}` });
        const { hits, hasMore } = await answer(start, 100);
        assert.deepEqual([hits.length, hasMore], [20, true]);
      });
    });

    describe('samples', () => {
      it('are found by a hash of any of the five kinds, before the reports of them', async () => {
        const sample = await analysed({ fileName: 'dropper.exe', tags: [{ heat: 3, name: 'PE' }] });
        const id = await report(await feed(), { sha256: sample.sha256 });
        for (const kind of ['sha256', 'blake3', 'sha512', 'sha1', 'md5'] as const) {
          assert.deepEqual(await found(sample[kind]), [
            `${kind} sample ${sample.sha256}`,
            `${kind} report ${id}`,
          ]);
        }
        const [hit] = await ask(sample.md5);
        assert.deepEqual(hit, {
          kind: 'sample',
          match: 'md5',
          sha256: sample.sha256,
          fileName: 'dropper.exe',
          tags: [{ heat: 3, name: 'PE' }],
        });
      });

      it('are found by their hashes while their analysis is pending', async () => {
        const sample = newSample();
        await uploaded(sample);
        for (const kind of ['sha256', 'blake3', 'sha512', 'sha1', 'md5'] as const)
          assert.deepEqual(await found(sample[kind]), [`${kind} sample ${sample.sha256}`]);
        await store.samples.finish(
          {
            report: sample,
            details: { evidence: [], indicators: [], facts: {}, members: [], c2s: [] },
          },
          NOW,
        );
        for (const kind of ['sha256', 'md5'] as const)
          assert.deepEqual(await found(sample[kind]), [`${kind} sample ${sample.sha256}`]);
      });

      it('are not found by hashes in their file names', async () => {
        const [md5, sha1] = [hex(16), hex(20)];
        await analysed({ fileName: `${md5}.exe`, tags: [{ heat: 9, name: sha1 }] });
        assert.deepEqual(await found(md5), []);
        assert.deepEqual(await found(sha1), []);
      });

      it('show their five hottest tags, and are found by those', async () => {
        const names = Array.from({ length: 7 }, word);
        const tags = names.map((name, index) => ({ heat: index + 1, name }));
        const sample = await analysed({ tags });
        const [hit] = await ask(names[6] ?? '');
        assert.ok(hit?.kind === 'sample');
        assert.deepEqual(hit.tags, tags.toReversed().slice(0, 5));
        assert.deepEqual(await found(names[2] ?? ''), [`tag sample ${sample.sha256}`]);
        assert.deepEqual(await found(names[1] ?? ''), []);
      });

      it('are found by name, family, tag and words, exact ones first, then the newest', async () => {
        const text = word();
        const named = await analysed({ fileName: text });
        const family = await analysed({ configs: { [text.toUpperCase()]: {} } });
        const tagged = await analysed({ tags: [{ heat: 5, name: text }] });
        const among = await analysed({ fileName: `Invoice_${text}-final.exe` });
        const begun = await analysed({ fileName: `${text}ed.dll` });
        assert.deepEqual(await found(text), [
          `tag sample ${tagged.sha256}`,
          `name sample ${family.sha256}`,
          `name sample ${named.sha256}`,
          `text sample ${begun.sha256}`,
          `text sample ${among.sha256}`,
        ]);
        assert.deepEqual(await found(`final ${text}`), [`text sample ${among.sha256}`]);
      });

      it('are found by their newest analysis only', async () => {
        const [before, after] = [word(), word()];
        const sample = await analysed({ fileName: before, ssdeep: '3:abc:def' });
        const changed = { ...sample, fileName: after, md5: hex(16), ssdeep: '3:abd:deg' };
        await store.samples.putAll([changed], NOW);
        assert.deepEqual(await found(after), [`name sample ${sample.sha256}`]);
        assert.deepEqual(await found(changed.md5), [`md5 sample ${sample.sha256}`]);
        assert.deepEqual(await found(before), []);
        assert.deepEqual(await found(sample.md5), []);
      });

      it('are no longer found when they were purged, while reports of them are', async () => {
        const text = word();
        const sample = newSample({ fileName: text, configs: {} });
        await uploaded(sample);
        await store.samples.putAll([sample], NOW);
        const id = await report(await feed(), { sha256: sample.sha256 });
        await store.samples.purge(sample.sha256, 'reason', audit);
        assert.deepEqual(await found(text), []);
        assert.deepEqual(await found(sample.md5), []);
        assert.deepEqual(await found(sample.blake3), []);
        assert.deepEqual(await found(sample.sha256), [`sha256 report ${id}`]);
      });

      it('are found together with reports, newest first', async () => {
        const text = word();
        const first = await analysed({ fileName: text });
        const second = await report(await feed(), { tags: [text] });
        const third = await analysed({ fileName: text });
        assert.deepEqual(await found(text), [
          `name sample ${third.sha256}`,
          `name report ${second}`,
          `name sample ${first.sha256}`,
        ]);
      });
    });

    describe('a text', () => {
      for (const text of [
        '"',
        '""',
        "'",
        'qqa" OR "qqb',
        'words:qqa',
        'NEAR(qqa qqb)',
        'qqa* ^qqb',
        '-qqa',
        '{words}: qqa',
        'qqa AND NOT qqb',
        '(',
        '%',
        '_',
        '*',
        '$qq1',
        'ſ ß ı',
        '𞤀𞤁𞤂',
        'é'.repeat(200),
        '\u{1f600}'.repeat(200),
      ]) {
        it(`is never taken for syntax: ${text.slice(0, 20)}`, async () => {
          assert.deepEqual(await found(text), []);
        });
      }

      it('that looks like syntax is found as a tag', async () => {
        const tag = `"${word()}" OR *`;
        const id = await report(await feed(), { tags: ['x', tag] });
        assert.deepEqual(await found(tag), [`tag report ${id}`]);
      });

      it('of letters beyond ASCII is found by its words in any case', async () => {
        const text = word();
        const sample = await analysed({ fileName: `ÜBERWEISUNG_${text}_Ж.exe` });
        assert.deepEqual(await found(`überweisung ${text} ж`), [`text sample ${sample.sha256}`]);
        assert.deepEqual(await found(`uberweisung ${text}`), [`text sample ${sample.sha256}`]);
      });
    });
  });
}
