import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { DAY_MS, FeedRig, later } from './feed-rig.ts';
import { audit, hex, NOW, newSample, newService } from './store-contract.ts';

/** What people look up: routes, C2s and hosts, the history of a report, and units per day. */
export function subjectsContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store of routes`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    async function declared(hosts: readonly string[], networks: readonly string[] = []) {
      const slug = await rig.service();
      await store.services.change(slug, { hosts, networks }, audit);
      return slug;
    }

    it('finds the most specific host pattern', async () => {
      const top = hex(4);
      const wide = await declared([`*.${top}.example`]);
      const narrow = await declared([`*.eu.${top}.example`, `www.${top}.example`]);
      const exact = await declared([`a.eu.${top}.example`]);
      const route = async (host: string) => (await store.services.route(host))?.service;
      assert.equal(await route(`a.eu.${top}.example`), exact);
      assert.equal(await route(`b.eu.${top}.example`), narrow);
      assert.equal(await route(`c.b.eu.${top}.example`), narrow);
      assert.equal(await route(`eu.${top}.example`), wide);
      assert.equal(await route(`www.${top}.example`), narrow);
      // A wildcard means subdomains, not the name itself.
      assert.equal(await route(`${top}.example`), undefined);
      assert.equal(await route(`x${top}.example`), undefined);
    });

    it('finds the longest network, of both versions, and an address before a network', async () => {
      const wide = await declared([], ['10.0.0.0/8', '2001:db8::/32']);
      const narrow = await declared(['10.9.9.9'], ['10.9.0.77/16', '2001:db8:9::/47']);
      const pattern = async (host: string) => (await store.services.route(host))?.pattern;
      assert.deepEqual(await store.services.route('10.1.2.3'), {
        service: wide,
        pattern: '10.0.0.0/8',
        verified: false,
      });
      assert.deepEqual(await store.services.route('10.9.2.3'), {
        service: narrow,
        pattern: '10.9.0.77/16',
        verified: false,
      });
      assert.equal(await pattern('10.9.9.9'), '10.9.9.9');
      assert.equal(await pattern('2001:db8:1::1'), '2001:db8::/32');
      assert.equal(await pattern('2001:db8:8::1'), '2001:db8:9::/47');
      assert.equal(await pattern('2001:db8:a::1'), '2001:db8::/32');
      assert.equal(await pattern('11.0.0.1'), undefined);
    });

    it('finds the first slug if several services declare the same', async () => {
      const host = `*.${hex(4)}.example`;
      const slugs = [await declared([host]), await declared([host]), await declared([host])];
      const found = await store.services.route(host.replace('*', 'a'));
      assert.equal(found?.service, slugs.toSorted()[0]);
    });

    it('forgets patterns that a service no longer declares', async () => {
      const host = `${hex(4)}.example`;
      const slug = await declared([host, host]);
      assert.equal((await store.services.route(host))?.service, slug);
      await store.services.change(slug, { name: 'Renamed' }, audit);
      assert.equal((await store.services.route(host))?.service, slug);
      await store.services.change(slug, { hosts: [] }, audit);
      assert.equal(await store.services.route(host), undefined);
    });

    it('lists services in pages by slug', async () => {
      for (let made = 0; made < 3; made += 1) await rig.service();
      const all = (await store.services.list()).map(({ slug }) => slug).sort();
      const paged: string[] = [];
      for (;;) {
        const page = await store.services.page({ after: paged.at(-1), limit: 2 });
        paged.push(...page.services.map(({ slug }) => slug));
        if (!page.hasMore) break;
      }
      assert.deepEqual(paged, all);
    });

    it('lists few services that declare very much in a page', async () => {
      const prefix = hex(6);
      const hosts = Array.from({ length: 1000 }, (_, index) => `${index}.${prefix}.example`);
      const networks = Array.from(
        { length: 1000 },
        (_, index) => `10.1.${index >> 8}.${index & 255}/32`,
      );
      const declaring = newService({ name: prefix, hosts, networks });
      const slugs = ['a', 'b', 'c'].map((last) => `${prefix}-${last}`);
      for (const slug of slugs) await store.services.add({ ...declaring, slug }, audit);
      const first = await store.services.page({ after: prefix, limit: 100 });
      assert.deepEqual([first.services.map(({ slug }) => slug), first.hasMore], [[slugs[0]], true]);
      assert.deepEqual([first.services[0]?.hosts, first.services[0]?.networks], [hosts, networks]);
      const second = await store.services.page({ after: slugs[0], limit: 100 });
      assert.deepEqual(
        [second.services.map(({ slug }) => slug), second.hasMore],
        [[slugs[1]], true],
      );
      for (const slug of slugs)
        await store.services.change(slug, { hosts: [], networks: [] }, audit);
    });
  });

  describe(`${name} store of C2s and hosts`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    const at = (minutes: number) => later(60_000 * minutes);

    it('returns the reports of all feeds, and the newest over all of them', async () => {
      const [one, other] = [await rig.service(), await rig.service()];
      const c2 = { host: `${hex(4)}.example`, port: 443 };
      const made: NewReport[] = [];
      for (const [minute, service] of [one, other, one].entries())
        made.push(await rig.create(service, { c2, reportedAt: at(minute) }));
      await rig.create(other, { c2: { ...c2, port: 80 }, reportedAt: at(9) });
      await rig.set(made[0] as NewReport, 'rejected', at(10));
      const found = await store.search.reportsOf(c2, { newest: 2 });
      assert.equal(found.isLowerBound, false);
      assert.deepEqual(
        found.newest.map(({ id }) => id),
        [made[2]?.id, made[1]?.id],
      );
      const ofOne = found.feeds.find(({ service }) => service === one);
      assert.deepEqual(
        ofOne?.reports.map(({ status, reportedAt, reportedBy }) => [
          status,
          reportedAt,
          reportedBy,
        ]),
        [
          ['open', at(2), made[2]?.reportedBy],
          ['rejected', at(0), made[0]?.reportedBy],
        ],
      );
      assert.deepEqual(ofOne?.firstReportedAt, at(0));
      const ofHost = await store.search.reportsOf({ host: c2.host }, { newest: 9 });
      assert.deepEqual(
        ofHost.feeds.map(({ reports }) => reports.length),
        [2, 2],
      );
      const none = await store.search.reportsOf({ ...c2, port: 81 }, { newest: 9 });
      assert.deepEqual(none, { feeds: [], isLowerBound: false, newest: [] });
    });

    for (const by of ['C2', 'host']) {
      it(`counts at most a thousand reports of a ${by}, and knows the oldest`, async () => {
        const service = await rig.service();
        const c2 = { host: `${hex(4)}.example`, port: 443 };
        const reports = Array.from({ length: 1005 }, (_, minute) =>
          rig.report(service, { c2, reportedAt: at(minute) }),
        );
        await store.feeds.createMany(reports);
        const address = by === 'C2' ? c2 : { host: c2.host };
        const found = await store.search.reportsOf(address, { newest: 1 });
        assert.equal(found.isLowerBound, true);
        const [feed] = found.feeds;
        assert.equal(feed?.reports.length, 1000);
        assert.equal(feed?.hasMore, true);
        assert.deepEqual(feed?.firstReportedAt, at(0));
        assert.deepEqual(feed?.reports[0]?.reportedAt, at(1004));
        assert.equal(found.newest[0]?.id, reports.at(-1)?.id);
      });
    }

    const LIMITS = { files: 2, c2sOfFile: 3, ports: 3, names: 3 };
    const DETAILS = { evidence: [], indicators: [], facts: {}, members: [] };

    it('finds the C2s of the same settings, and leaves those of other families out', async () => {
      const [host, sibling, other] = [hex(4), hex(4), hex(4)].map((label) => `${label}.example`);
      assert.ok(host && sibling && other);
      const lantern = { family: 'LANTERN' };
      const c2s = [
        { host: sibling, port: 9, ...lantern },
        { host, port: 443, ...lantern },
        { host: other, port: 1, family: 'BUOY' },
        { host, port: 80, ...lantern },
      ];
      const sample = newSample({ configs: { LANTERN: {}, BUOY: {} } });
      await store.samples.finish({ report: sample, details: { ...DETAILS, c2s } }, NOW);
      const { files } = await store.search.relatedTo({ host, port: 443 }, LIMITS);
      const c2 = (name: string, port: number) => ({ c2: { host: name, port }, ...lantern });
      const { sha256, fileName } = sample;
      assert.deepEqual(files, {
        items: [
          {
            sha256,
            fileName,
            c2s: { items: [c2(host, 443), c2(sibling, 9), c2(host, 80)], hasMore: false },
          },
        ],
        hasMore: false,
      });
      // Those of the host come first.
      const ofHost = await store.search.relatedTo({ host }, { ...LIMITS, c2sOfFile: 2 });
      assert.deepEqual(ofHost.files.items[0]?.c2s, {
        items: [c2(host, 443), c2(host, 80)],
        hasMore: true,
      });
      for (let more = 0; more < 2; more += 1)
        await store.samples.finish({ report: newSample(), details: { ...DETAILS, c2s } }, NOW);
      const cut = (await store.search.relatedTo({ host, port: 443 }, LIMITS)).files;
      assert.deepEqual([cut.items.length, cut.hasMore], [2, true]);
    });

    it('says that it read only some of very many C2s in one file', async () => {
      const host = `${hex(4)}.example`;
      const c2s = Array.from({ length: 150 }, (_, index) => ({
        host: index === 140 ? host : `a${index}-${host}`,
        port: 1,
        family: 'LANTERN',
      }));
      await store.samples.finish({ report: newSample(), details: { ...DETAILS, c2s } }, NOW);
      const { files } = await store.search.relatedTo(
        { host, port: 1 },
        { ...LIMITS, c2sOfFile: 500 },
      );
      const [file] = files.items;
      assert.deepEqual(file?.c2s.items[0]?.c2, { host, port: 1 });
      assert.equal(file?.c2s.hasMore, true);
      assert.ok((file?.c2s.items.length ?? 0) <= 101);
    });

    it('finds the ports of a host and the names below it, in reports and in settings', async () => {
      const [one, another] = [await rig.service(), await rig.service()];
      const host = `${hex(4)}.example`;
      for (const [service, port, name] of [
        [one, 22, host],
        [one, 443, host],
        [another, 443, host],
        [one, 1, `b.${host}`],
        // Neither is below it.
        [one, 1, `x${host}`],
        [one, 1, `${host}.invalid`],
      ] as const)
        await rig.create(service, { c2: { host: name, port } });
      const family = 'LANTERN';
      const c2s = [
        { host, port: 80, family },
        { host: `a.b.${host}`, port: 5, family },
        { host: `a.b.${host}`, port: 6, family },
        { host: `b.${host}`, port: 1, family },
      ];
      await store.samples.finish({ report: newSample(), details: { ...DETAILS, c2s } }, NOW);
      const { ports, names } = await store.search.relatedTo({ host }, LIMITS);
      assert.deepEqual(ports, { items: [22, 80, 443], hasMore: false });
      assert.deepEqual(names, { items: [`b.${host}`, `a.b.${host}`], hasMore: false });
      const cut = await store.search.relatedTo({ host }, { ...LIMITS, ports: 2, names: 1 });
      assert.deepEqual(cut.ports, { items: [22, 80], hasMore: true });
      assert.deepEqual(cut.names, { items: [`b.${host}`], hasMore: true });
      const none = { items: [], hasMore: false };
      assert.deepEqual(await store.search.relatedTo({ host: '192.0.2.77' }, LIMITS), {
        files: none,
        ports: none,
        names: none,
      });
    });

    it('gives a sample the family of the settings that name it, and says if it left some out', async () => {
      const c2 = { host: `${hex(4)}.example`, port: 443 };
      const other = { host: `${hex(4)}.example`, port: 1 };
      const dropper = newSample({ configs: { LANTERN: {}, BUOY: {} } });
      const c2s = [
        { ...other, family: 'LANTERN' },
        { ...c2, family: 'BUOY' },
        { ...c2, family: 'LANTERN' },
      ];
      const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
      await store.samples.finish({ report: dropper, details }, NOW);
      const first = await store.search.samplesOf(c2, 5);
      assert.deepEqual(
        [first.samples.map(({ family }) => family), first.hasMore],
        [['BUOY'], false],
      );
      // The settings repeat the C2, so that two rows are one sample.
      await store.samples.finish({ report: newSample(), details }, NOW);
      const both = await store.search.samplesOf(c2, 3);
      assert.deepEqual([both.samples.length, both.hasMore], [2, true]);
    });

    it('finds the samples whose configuration names it, and what that says about a report', async () => {
      const host = `${hex(4)}.example`;
      const sample = newSample({ configs: { LANTERN: {} } });
      const c2s = [
        { host, port: 443, family: 'LANTERN' },
        { host: '192.0.2.1', port: 80, family: 'LANTERN' },
      ];
      const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
      await store.samples.finish({ report: sample, details }, NOW);
      const plain = newSample({ configs: {} });
      await store.samples.finish({ report: plain, details: { ...details, c2s: [] } }, NOW);
      const {
        samples: [found],
      } = await store.search.samplesOf({ host, port: 443 }, 5);
      assert.equal(found?.sha256, sample.sha256);
      assert.equal(found?.family, 'LANTERN');
      assert.equal((await store.search.samplesOf({ host }, 5)).samples.length, 1);
      const none = { samples: [], hasMore: false };
      assert.deepEqual(await store.search.samplesOf({ host, port: 80 }, 5), none);
      const evidence = (sha256: string, port: number) =>
        store.samples.evidence(sha256, { host, port });
      const family = 'LANTERN';
      assert.deepEqual(await evidence(sample.sha256, 443), { family, confirmation: 'confirmed' });
      assert.deepEqual(await evidence(sample.sha256, 80), { family, confirmation: 'contradicted' });
      assert.deepEqual(await evidence(plain.sha256, 443), {
        family: undefined,
        confirmation: 'unknown',
      });
      assert.equal(await evidence(hex(32), 443), undefined);
      // The same digits as BLAKE3 are another file.
      assert.equal(await evidence(sample.blake3, 443), undefined);
    });
  });

  describe(`${name} history of a report`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    it('has every status with its author, and goes with the report', async () => {
      const service = await rig.service(1);
      const owner = await rig.account(service);
      const report = await rig.create(service);
      const { id } = report;
      assert.deepEqual((await store.reports.history(service, id, 9))?.statuses, []);
      await rig.set(report, 'acknowledged', later(1000), owner);
      await store.feeds.setStatus(
        { service, ids: [id], limit: 1 },
        {
          accountId: owner.id,
          actor: 'desk',
          at: later(2000),
          status: 'rejected',
          reason: 'not_ours',
          note: 'Ask them.',
        },
      );
      // The same status again changes nothing.
      await rig.set(report, 'open', later(3000), owner);
      await rig.set(report, 'open', later(4000), owner);
      while ((await store.feeds.expire(later(9 * DAY_MS), 100)) > 0);
      const history = await store.reports.history(service, id, 9);
      const none = { reason: undefined, note: undefined };
      assert.deepEqual(history?.statuses, [
        { at: later(1000), sequence: 2, status: 'acknowledged', ...none, by: 'desk' },
        {
          at: later(2000),
          sequence: 3,
          status: 'rejected',
          reason: 'not_ours',
          note: 'Ask them.',
          by: 'desk',
        },
        { at: later(3000), sequence: 4, status: 'open', ...none, by: 'desk' },
        { at: later(9 * DAY_MS), sequence: 5, status: 'expired', ...none, by: undefined },
      ]);
      assert.equal(history?.hasMore, false);
      const newest = await store.reports.history(service, id, 2);
      assert.deepEqual(
        newest?.statuses.map(({ status }) => status),
        ['open', 'expired'],
      );
      assert.equal(newest?.hasMore, true);
      assert.equal(await store.reports.history(await rig.service(), id, 9), undefined);
      assert.equal(await rig.delete(report), 'deleted');
      assert.equal(await store.reports.history(service, id, 9), undefined);
    });
  });

  describe(`${name} units per day`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    const day = (date: Date) => date.toISOString().slice(0, 10);
    const lookUp = (accountId: string, now: Date) =>
      store.samples.lookUp({ accountId, hash: parseFileHash(hex(32)), now });
    const FIRST = '2000-01-01';

    const unitsPerDay = async (id: string, from: string) =>
      (await store.accounts.usage(id, { from, to: '9', limit: 1 })).days;

    it('are those charged, including batches, without those refunded', async () => {
      const { id } = await rig.account();
      assert.deepEqual(await unitsPerDay(id, FIRST), []);
      await Promise.all(Array.from({ length: 20 }, () => lookUp(id, NOW)));
      const hashes = [parseFileHash(hex(32)), undefined, parseFileHash(hex(32))];
      const many = await store.samples.lookUpMany({ accountId: id, hashes, now: NOW });
      const today = day(NOW);
      assert.deepEqual(await unitsPerDay(id, FIRST), [{ day: today, units: 23 }]);
      await store.samples.refund(many.charge ?? assert.fail('nothing was charged'));
      assert.deepEqual(await unitsPerDay(id, FIRST), [{ day: today, units: 20 }]);
    });

    it('are not lost when days change, and continue on a clock that is slightly slow', async () => {
      const { id } = await rig.account();
      const at = (days: number) => later(days * DAY_MS);
      for (const days of [0, 0, 1, 0, 1, 5, 6, 5]) await lookUp(id, at(days));
      const expected = [
        { day: day(at(0)), units: 2 },
        // One of them with a clock of the day before.
        { day: day(at(1)), units: 3 },
        { day: day(at(5)), units: 1 },
        { day: day(at(6)), units: 2 },
      ];
      assert.deepEqual(await unitsPerDay(id, FIRST), expected);
      assert.deepEqual(await unitsPerDay(id, day(at(5))), expected.slice(2));
      // A clock that was far ahead neither hides days nor counts twice.
      await lookUp(id, at(400));
      await lookUp(id, at(6));
      assert.deepEqual(
        (await unitsPerDay(id, FIRST)).toSorted((a, b) => (a.day < b.day ? -1 : 1)),
        [...expected.slice(0, 3), { day: day(at(6)), units: 3 }, { day: day(at(400)), units: 1 }],
      );
    });

    it('are deleted when they are old', async () => {
      const { id } = await rig.account();
      for (const days of [0, 1, 2, 3]) await lookUp(id, later(days * DAY_MS));
      const before = day(later(2 * DAY_MS));
      while ((await store.accounts.deleteOldDays(before, 1)) > 0);
      assert.deepEqual(
        (await unitsPerDay(id, FIRST)).map((one) => one.day),
        [before, day(later(3 * DAY_MS))],
      );
    });

    it('are none if the quota is exhausted', async () => {
      const { id } = await rig.account();
      const spent = { quota: { limit: 2, period: 'none' as const } };
      await store.accounts.change(id, spent, audit);
      await Promise.all(Array.from({ length: 5 }, () => lookUp(id, NOW)));
      assert.deepEqual(await unitsPerDay(id, FIRST), [{ day: day(NOW), units: 2 }]);
    });
  });
}
