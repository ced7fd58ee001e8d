import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type C2Address, parseC2Address } from '../../../src/domain/reports/c2-address.ts';
import type { Confirmation } from '../../../src/domain/reports/confirmation.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { FeedRig, later } from './feed-rig.ts';
import { randomNumbers } from './statistics/feed-contract.ts';
import { audit, hex, NOW, newSample, newService } from './store-contract.ts';

const C2S = ['a.example:1', 'b.example:1', '192.0.2.1:1', '[2001:db8::1]:1', 'a.example:2'];

/** The settings in a file; `imported`: its analysis has none. */
interface Settings {
  readonly c2s: readonly string[];
  readonly hasMore?: boolean;
}

const isAddress = (c2: string) => /^[[0-9]/.test(c2);

/** The rule in its words. */
function expected(c2: string, { c2s, hasMore = false }: Settings): Confirmation {
  if (c2s.includes(c2)) return 'confirmed';
  const ofKind = c2s.filter((one) => isAddress(one) === isAddress(c2));
  return ofKind.length > 0 && !hasMore ? 'contradicted' : 'unknown';
}

const NO_SETTINGS: Settings = { c2s: [] };

function addressOf(text: string): C2Address {
  return parseC2Address(text) ?? assert.fail(`${text} is no address`);
}

/** One file, its reports, and what its analysis says. */
class ReportedFile {
  readonly sha256 = hex(32);
  readonly #rig: FeedRig;
  readonly feeds: readonly string[];
  readonly #sample = newSample({ sha256: this.sha256, configs: {} });
  #settings: Settings = NO_SETTINGS;
  #isKnown = false;
  #isRemoved = false;
  #versions = 0;
  readonly #reports: { readonly report: NewReport; readonly c2: string }[] = [];

  constructor(rig: FeedRig, feeds: readonly string[]) {
    this.#rig = rig;
    this.feeds = feeds;
  }

  get #store(): Store {
    return this.#rig.store;
  }

  async report(c2: string, feed = this.feeds[0] ?? assert.fail('no feed')): Promise<void> {
    const report = await this.#rig.create(feed, { sha256: this.sha256, c2: addressOf(c2) });
    this.#reports.push({ report, c2 });
  }

  async analyse(settings: Settings): Promise<void> {
    const c2s = settings.c2s.map((text) => ({ ...addressOf(text), family: 'LANTERN' }));
    const more = settings.hasMore ? { hasMoreC2s: true } : {};
    const details = { evidence: [], indicators: [], facts: {}, members: [], c2s, ...more };
    this.#versions += 1;
    const report = { ...this.#sample, fileName: `${this.#versions}.exe` };
    await this.#store.samples.finish({ report, details }, later(this.#versions));
    this.#became(settings);
  }

  /** An imported analysis replaces the settings by none. */
  async import(): Promise<void> {
    this.#versions += 1;
    const report = { ...this.#sample, fileName: `${this.#versions}.exe` };
    await this.#store.samples.putAll([report], later(this.#versions));
    this.#became(NO_SETTINGS);
  }

  async purge(): Promise<void> {
    await this.#store.samples.purge(this.sha256, 'reason', { ...audit, at: later(5000) });
    if (this.#isKnown) this.#isRemoved = true;
    this.#settings = NO_SETTINGS;
  }

  #became(settings: Settings): void {
    if (this.#isRemoved) return;
    this.#settings = settings;
    this.#isKnown = true;
  }

  async drain(): Promise<void> {
    while ((await this.#store.feeds.reevaluatePending(later(6000), 7)) > 0);
  }

  async check(context: string): Promise<void> {
    for (const { report, c2 } of this.#reports) {
      const { confirmation } = await this.#rig.find(report);
      assert.equal(confirmation, expected(c2, this.#settings), `${c2} after ${context}`);
    }
  }

  /** A reader who follows the changes alone knows the same. */
  async checkChanges(context: string): Promise<void> {
    for (const feed of this.feeds) {
      const changes = await this.#rig.changes(feed, new Map(), 1000);
      assert.deepEqual(
        changes.map(({ sequence }) => sequence),
        changes.map((_, index) => index + 1),
      );
      const last = new Map(changes.map((change) => [change.reportId, change]));
      for (const { report, c2 } of this.#reports.filter((one) => one.report.service === feed)) {
        const { confirmation } = last.get(report.id)?.report ?? assert.fail(context);
        assert.equal(confirmation, expected(c2, this.#settings), `${c2} after ${context}`);
      }
    }
  }
}

type FileStep = readonly [name: string, run: (file: ReportedFile) => Promise<void>];

const STEPS: readonly FileStep[] = [
  [
    'reports',
    async (file) => {
      for (const c2 of C2S) await file.report(c2);
    },
  ],
  ['an analysis', (file) => file.analyse({ c2s: ['a.example:1', '192.0.2.1:1'] })],
  ['another', (file) => file.analyse({ c2s: ['a.example:2'], hasMore: true })],
  ['the removal', (file) => file.purge()],
];

/** Reports, mostly; else another analysis, an imported one, or a removal. */
async function changeFile(
  file: ReportedFile,
  random: (below: number) => number,
  mayPurge: boolean,
): Promise<void> {
  const kind = random(10);
  if (kind < 6)
    for (let count = random(6); count >= 0; count -= 1)
      await file.report(C2S[random(C2S.length)] ?? '', file.feeds[random(file.feeds.length)]);
  else if (kind < 8)
    await file.analyse({ c2s: C2S.filter(() => random(3) === 0), hasMore: random(3) === 0 });
  else if (kind === 8) await file.import();
  else if (mayPurge) await file.purge();
}

function* orders<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length === 0) yield [];
  for (const [index, first] of items.entries())
    for (const rest of orders(items.toSpliced(index, 1))) yield [first, ...rest];
}

/** The confirmation of reports by analyses, on every database. */
export function evidenceContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store, the confirmation of reports`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
      while ((await store.feeds.reevaluatePending(later(0), 1000)) > 0);
    });
    after(() => store.close());

    const reported = async (feeds = 1) =>
      new ReportedFile(rig, await Promise.all(Array.from({ length: feeds }, () => rig.service())));

    it('follows from the settings, for any of them', async () => {
      const file = await reported();
      for (const c2 of C2S) await file.report(c2);
      for (let bits = 0; bits < 2 ** (C2S.length + 1); bits += 1) {
        const c2s = C2S.filter((_, index) => (bits >> index) & 1);
        const settings = { c2s, hasMore: bits >> C2S.length === 1 };
        await file.analyse(settings);
        await file.check(JSON.stringify(settings));
      }
      await file.checkChanges('all');
    });

    it('is the same after every order of reports, analyses and removal', async () => {
      for (const steps of orders(STEPS)) {
        const file = await reported();
        const done: string[] = [];
        for (const [step, run] of steps) {
          await run(file);
          done.push(step);
          await file.check(done.join(', '));
        }
        await file.checkChanges(done.join(', '));
      }
    });

    it('is the same after random histories of many reports, in slices', async () => {
      for (const seed of [1, 2]) {
        const random = randomNumbers(seed);
        const file = await reported(3);
        for (let step = 0; step < 20; step += 1) {
          await changeFile(file, random, step > 14);
          if (random(2) === 0) await store.feeds.reevaluatePending(later(6000), 1 + random(9));
        }
        await file.drain();
        await file.check(`the history ${seed}`);
        await file.checkChanges(`the history ${seed}`);
      }
    });

    it('agrees with the analysis after concurrent reports, analyses and removals', async () => {
      const file = await reported(2);
      const create = (index: number) => file.report(C2S[index % 5] ?? '', file.feeds[index % 2]);
      for (let round = 0; round < 6; round += 1)
        await Promise.all([
          ...Array.from({ length: 8 }, (_, index) => create(round + index)),
          file.analyse({ c2s: [C2S[round % 5] ?? ''], hasMore: round === 3 }),
          store.feeds.reevaluatePending(later(6000), 5),
        ]);
      await file.drain();
      await file.check('the analyses');
      await Promise.all([create(1), file.purge(), create(2)]);
      await file.drain();
      await file.check('the removal');
      await file.checkChanges('all');
    });

    it('is that of the settings when an equal analysis was imported before', async () => {
      const file = await reported();
      await file.report('a.example:1');
      const sample = newSample({ sha256: file.sha256, configs: {} });
      await store.samples.putAll([sample], later(1));
      const c2s = [{ ...addressOf('a.example:1'), family: 'LANTERN' }];
      const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
      assert.equal(await store.samples.finish({ report: sample, details }, NOW), 'unchanged');
      const [report] = await rig.list(file.feeds[0] ?? '');
      assert.equal(report?.confirmation, 'confirmed');
    });

    it('does not change the name when the analysis is removed', async () => {
      const feed = await rig.service();
      const report = await rig.create(feed);
      const sample = newSample({ sha256: report.sha256, configs: { XWORM: {} } });
      await store.samples.putAll([sample], later(1));
      await store.samples.purge(sample.sha256, 'reason', audit);
      assert.equal((await rig.find(report)).name, 'XWORM');
    });

    it('comes with the family whose settings name the C2', async () => {
      const feed = await rig.service();
      const sample = newSample({ configs: { ASYNCRAT: {}, SYSTEMBC: {}, GENERIC: {} } });
      const { sha256 } = sample;
      const reports = [
        { c2: 'a.example:1', name: 'ASYNCRAT' },
        { c2: 'b.example:1', name: 'SYSTEMBC' },
        // Of no family, and of no settings.
        { c2: '192.0.2.1:1', name: 'ASYNCRAT' },
        { c2: 'a.example:2', name: 'ASYNCRAT' },
      ];
      const create = (c2: string) => rig.create(feed, { sha256, c2: addressOf(c2) });
      const before = await Promise.all(reports.map(({ c2 }) => create(c2)));
      const c2s = [
        { ...addressOf('a.example:1'), family: 'ASYNCRAT' },
        { ...addressOf('b.example:1'), family: 'SYSTEMBC' },
        { ...addressOf('b.example:1'), family: 'ASYNCRAT' },
        { ...addressOf('192.0.2.1:1'), family: 'GENERIC' },
      ];
      const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
      await store.samples.finish({ report: sample, details }, later(1));
      for (const [index, { c2, name }] of reports.entries()) {
        const report = before[index] ?? assert.fail('no report');
        assert.equal((await rig.find(report)).name, name, `${c2}, reported before`);
        assert.equal((await rig.find(await create(c2))).name, name, `${c2}, reported after`);
        const preview = await store.reports.preview(
          rig.report(feed, { sha256, c2: addressOf(c2) }),
        );
        assert.equal(preview?.report.name, name, `${c2}, previewed`);
      }
    });

    it('is part of the preview of a report', async () => {
      const file = await reported();
      await file.analyse({ c2s: ['a.example:1'] });
      const preview = async (c2: string) => {
        const report = rig.report(file.feeds[0] ?? '', {
          sha256: file.sha256,
          c2: addressOf(c2),
        });
        return (await store.reports.preview(report))?.report.confirmation;
      };
      assert.equal(await preview('a.example:1'), 'confirmed');
      assert.equal(await preview('b.example:1'), 'contradicted');
      assert.equal(await preview('192.0.2.1:1'), 'unknown');
    });
  });

  describe(`${name} store, the route of reports`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
      await walk();
    });
    after(() => store.close());

    async function walk(): Promise<void> {
      while ((await store.feeds.reevaluateOld(later(9000), 50)) > 0);
    }

    async function declaring(...hosts: readonly string[]): Promise<string> {
      const service = newService({ slug: `r-${randomUUID()}`, hosts });
      await store.services.add(service, audit);
      return service.slug;
    }

    const routeOf = async (report: NewReport) => (await rig.find(report)).routedTo;

    it('is stored with the report, and part of its preview', async () => {
      const suffix = `${hex(6)}.example`;
      const owner = await declaring(`*.${suffix}`);
      const feed = await rig.service();
      const c2 = { host: `a.${suffix}`, port: 1 };
      const preview = await store.reports.preview(rig.report(feed, { c2 }));
      assert.equal(preview?.report.routedTo, owner);
      assert.equal(await routeOf(await rig.create(feed, { c2 })), owner);
      assert.equal(await routeOf(await rig.create(owner, { c2 })), owner);
      assert.equal(await routeOf(await rig.create(feed)), undefined);
    });

    it('follows the declared hosts while a report is unresolved, as changes', async () => {
      const suffix = `${hex(6)}.example`;
      const feed = await rig.service();
      const c2 = { host: `a.${suffix}`, port: 1 };
      const open = await rig.create(feed, { c2 });
      const actioned = await rig.create(feed, { c2 });
      await rig.set(actioned, 'actioned');
      const other = await rig.create(feed);
      const owner = await declaring(`*.${suffix}`);
      assert.equal(await routeOf(open), undefined);
      await walk();
      assert.equal(await routeOf(open), owner);
      assert.equal(await routeOf(actioned), undefined);
      assert.equal(await routeOf(other), undefined);
      const [last] = (await rig.changes(feed)).slice(-1);
      assert.equal(last?.reportId, open.id);
      assert.equal(last?.report?.routedTo, owner);
      await store.services.change(owner, { hosts: [] }, audit);
      await walk();
      assert.equal(await routeOf(open), undefined);
    });

    it('starts no walk when the hosts stay as they are', async () => {
      const hosts = [`${hex(6)}.example`];
      const owner = await declaring(...hosts);
      await walk();
      await store.services.change(owner, { hosts, name: 'new' }, audit);
      await declaring();
      const settings = { networks: [], confidenceScale: 100, expireAfterDays: 90, createdAt: NOW };
      const again = { slug: owner, name: owner, hosts: [`${hex(6)}.example`], ...settings };
      assert.equal(await store.services.add(again, audit), 'exists');
      assert.equal(await store.feeds.reevaluateOld(later(9000), 5), 0);
    });

    it('is the current one after a report is opened again', async () => {
      const suffix = `${hex(6)}.example`;
      const feed = await rig.service();
      const c2 = { host: `a.${suffix}`, port: 1 };
      const rejected = await rig.create(feed, { c2 });
      const kept = await rig.create(feed, { c2 });
      await rig.set(rejected, 'rejected');
      await rig.set(kept, 'rejected');
      const owner = await declaring(`*.${suffix}`);
      await walk();
      await rig.set(kept, 'actioned');
      assert.equal(await routeOf(kept), undefined);
      await rig.set(rejected, 'open');
      assert.equal(await routeOf(rejected), owner);
      const [last] = (await rig.changes(feed)).slice(-1);
      assert.equal(last?.report?.routedTo, owner);
      assert.equal((await store.trust.service(feed, '2000-01-01')).misrouted, 1);
      await rig.set(rejected, 'acknowledged');
      assert.equal(await routeOf(rejected), owner);
      await rig.set(rejected, 'actioned');
      await store.services.change(owner, { hosts: [] }, audit);
      await walk();
      assert.equal(await routeOf(rejected), owner);
      await rig.set(rejected, 'open');
      assert.equal(await routeOf(rejected), undefined);
      assert.equal((await store.trust.service(feed, '2000-01-01')).misrouted, 0);
    });

    it('is the last one after concurrent reports and changes of the hosts', async () => {
      const suffix = `${hex(6)}.example`;
      const owner = await declaring(`*.${suffix}`);
      const feed = await rig.service();
      const reports: NewReport[] = [];
      const create = async () => {
        reports.push(await rig.create(feed, { c2: { host: `${hex(2)}.${suffix}`, port: 1 } }));
      };
      for (let round = 0; round < 6; round += 1)
        await Promise.all([
          ...Array.from({ length: 5 }, create),
          store.services.change(owner, { hosts: round % 2 === 0 ? [] : [`*.${suffix}`] }, audit),
          ...Array.from({ length: 5 }, create),
          store.feeds.reevaluateOld(later(9000), 5),
        ]);
      await walk();
      for (const report of reports) assert.equal(await routeOf(report), owner);
    });
  });
}
