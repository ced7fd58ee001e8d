import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DESK_REASONS, type DeskStatus, isAnswer } from '../../../../src/domain/reports/desk.ts';
import type { Report } from '../../../../src/domain/reports/report.ts';
import {
  type DayCounts,
  type FeedCounts,
  TIME_TO_ACT_BOUNDS,
  timeToActBucket,
} from '../../../../src/domain/reports/statistics.ts';
import type { AnalysisReport } from '../../../../src/domain/samples/analysis-report.ts';
import { dayOf } from '../../../../src/domain/utc-days.ts';
import type { NewReport, StatusEntry } from '../../../../src/ports/report-store.ts';
import type { NewAccount, Store } from '../../../../src/ports/store.ts';
import { DAY_MS, FeedRig, HOUR_MS, later } from '../feed-rig.ts';
import { audit, hex, newSample } from '../store-contract.ts';
import { checkTrust, STATUSES } from './trust-recount.ts';

const FROM = '2026-01-01';

type MutableDay = { -readonly [Column in keyof DayCounts]: DayCounts[Column] };

/** Counts a feed by reading all of its reports and their histories. */
export async function recount(rig: FeedRig, feed: string): Promise<FeedCounts> {
  const counter = new Recount();
  for (const status of STATUSES)
    for (const report of await rig.list(feed, { status })) {
      const history = await rig.store.reports.history(feed, report.id, 500);
      counter.add(report, history?.statuses ?? []);
    }
  return counter.counts();
}

class Recount {
  readonly #statuses = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  readonly #families = new Map<string, number>();
  readonly #days = new Map<string, MutableDay>();
  readonly #timeToAct = Array.from({ length: TIME_TO_ACT_BOUNDS.length + 1 }, () => 0);

  add({ status, name, reportedAt }: Report, history: readonly StatusEntry[]): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#families.set(name, (this.#families.get(name) ?? 0) + 1);
    this.#day(reportedAt).reported += 1;
    const set = history.filter((one, index) => one.status !== history[index - 1]?.status);
    for (const { status: to, at } of set)
      if (to !== 'open' && to !== 'acknowledged') this.#day(at)[to] += 1;
    const first = set.find((one) => isAnswer(one.status));
    if (first === undefined) return;
    const bucket = timeToActBucket(reportedAt, first.at);
    this.#timeToAct[bucket] = (this.#timeToAct[bucket] ?? 0) + 1;
  }

  #day(at: Date): MutableDay {
    const day = dayOf(at);
    const counts = this.#days.get(day) ?? {
      day,
      reported: 0,
      actioned: 0,
      rejected: 0,
      expired: 0,
    };
    this.#days.set(day, counts);
    return counts;
  }

  counts(): FeedCounts {
    return {
      days: [...this.#days.values()].sort((one, other) => (one.day < other.day ? -1 : 1)),
      statuses: this.#statuses as FeedCounts['statuses'],
      families: [...Map.groupBy(this.#families, ([name]) => name.toLowerCase()).values()]
        .map((spellings) => ({
          name: mostFrequent(spellings),
          reports: spellings.reduce((sum, [, reports]) => sum + reports, 0),
        }))
        .sort((one, other) => other.reports - one.reports || (one.name < other.name ? -1 : 1))
        .slice(0, 20),
      timeToAct: this.#timeToAct,
      isComplete: true,
    };
  }
}

function mostFrequent(spellings: readonly (readonly [string, number])[]): string {
  const most = Math.max(...spellings.map(([, reports]) => reports));
  return spellings.flatMap(([name, reports]) => (reports === most ? [name] : [])).sort()[0] ?? '';
}

export async function checkCounters(store: Store): Promise<void> {
  const check = store.examination.checks.find(({ name }) => name === 'statistics of feeds');
  for await (const { wrong } of check?.run() ?? assert.fail()) assert.deepEqual(wrong, []);
}

/** A day on which everything was deleted again keeps a row of zeros. */
function withoutEmptyDays(counts: FeedCounts): FeedCounts {
  const days = counts.days.filter(
    ({ reported, actioned, rejected, expired }) => reported + actioned + rejected + expired !== 0,
  );
  return { ...counts, days };
}

/** The same sequence of numbers for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Random changes of a few feeds, several at a time. */
export class RandomChanges {
  readonly #rig: FeedRig;
  readonly #feeds: readonly string[];
  readonly #owner: NewAccount;
  readonly #random: (below: number) => number;
  readonly #hashes = Array.from({ length: 4 }, () => hex(32));
  readonly #hosts = Array.from({ length: 4 }, () => `${hex(4)}.example`);
  readonly #samples = new Map<string, AnalysisReport>();
  readonly #reports: NewReport[] = [];
  readonly reporters: readonly NewAccount[];
  now = later(0);

  private constructor(
    rig: FeedRig,
    feeds: readonly string[],
    accounts: { readonly owner: NewAccount; readonly reporters: readonly NewAccount[] },
    random: (below: number) => number,
  ) {
    this.#rig = rig;
    this.#feeds = feeds;
    this.#owner = accounts.owner;
    this.reporters = accounts.reporters;
    this.#random = random;
  }

  static async in(rig: FeedRig, feeds: readonly string[], seed: number) {
    const owner = await rig.account(...feeds);
    const reporters = [await rig.account(), await rig.account()];
    return new RandomChanges(rig, feeds, { owner, reporters }, randomNumbers(seed));
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      this.now = later(this.#random(6) * HOUR_MS + this.#random(3_600_000), this.now);
      await Promise.all(Array.from({ length: 1 + this.#random(4) }, () => this.#change()));
    }
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#random(items.length)] ?? assert.fail('nothing to choose from');
  }

  #new(): NewReport {
    const reporter = this.#one(this.reporters);
    const host = this.#random(2) === 0 ? this.#one(this.#hosts) : `${hex(4)}.example`;
    const report = this.#rig.report(this.#one(this.#feeds), {
      reporterId: reporter.id,
      reportedBy: reporter.name,
      c2: { host, port: 443 },
      tags: [this.#one(['agent', 'loader', 'rat', 'x'])],
      sha256: this.#random(2) === 0 ? this.#one(this.#hashes) : hex(32),
      reportedAt: this.now,
    });
    this.#reports.push(report);
    return report;
  }

  async #change(): Promise<unknown> {
    const { store } = this.#rig;
    const kind = this.#random(11);
    if (kind < 3 || this.#reports.length === 0) return await store.reports.create(this.#new());
    if (kind === 3)
      return await store.feeds.createMany(
        Array.from({ length: 1 + this.#random(6) }, () => this.#new()),
      );
    if (kind < 7) return await this.#set();
    if (kind === 7) return await this.#delete(this.#one(this.#reports));
    if (kind === 8) return await store.feeds.expire(this.now, 50);
    if (kind === 9) return await this.#analyse();
    const hosts = this.#random(3) === 0 ? [] : [this.#one(this.#hosts)];
    await store.services.change(this.#one(this.#feeds), { hosts }, audit);
    return await store.feeds.reevaluateOld(this.now, 20);
  }

  /** The name and the confirmation of the reports of a file. */
  async #analyse(): Promise<unknown> {
    const { store } = this.#rig;
    const sha256 = this.#one(this.#hashes);
    const family = this.#one(['AGENT', 'RAT', 'LOADER']);
    const report = {
      ...this.#sampleOf(sha256),
      fileName: `${hex(4)}.exe`,
      configs: { [family]: {} },
    };
    const c2s = [{ host: this.#one(this.#hosts), port: 443, family }];
    const details = { evidence: [], indicators: [], facts: {}, members: [], c2s };
    const kind = this.#random(8);
    if (kind === 0) await store.samples.purge(sha256, 'reason', { ...audit, at: this.now });
    else if (kind < 3) await store.samples.putAll([report], this.now);
    else await store.samples.finish({ report, details }, this.now);
    return await store.feeds.reevaluatePending(this.now, 5);
  }

  /** All analyses of a file have the same hashes. */
  #sampleOf(sha256: string): AnalysisReport {
    const sample = this.#samples.get(sha256) ?? newSample({ sha256 });
    this.#samples.set(sha256, sample);
    return sample;
  }

  #delete(report: NewReport): Promise<unknown> {
    if (this.#random(2) === 0) return this.#rig.delete(report, this.now);
    const deletion = { id: report.id, by: 'x', at: this.now, reason: '' };
    return this.#rig.store.reports.purge(deletion, audit);
  }

  /** One report, or all of a feed with some status. */
  #set() {
    const status = this.#one<DeskStatus>(['open', 'acknowledged', 'actioned', 'rejected']);
    const { service, id } = this.#one(this.#reports);
    const target =
      this.#random(4) === 0
        ? { service, filter: { status: this.#one(STATUSES) }, limit: 4 }
        : { service, ids: [id], limit: 1 };
    const note = this.#random(2) === 0 ? undefined : 'a note';
    const { id: accountId } = this.#owner;
    return this.#rig.store.feeds.setStatus(target, {
      accountId,
      actor: 'desk',
      at: this.now,
      status,
      reason: this.#one<string>(['', ...DESK_REASONS[status]]) || undefined,
      note,
    });
  }
}

/** The counters of feeds, on every database. */
export function statisticsContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store of statistics`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    it('counts nothing in a new feed', async () => {
      assert.deepEqual(await store.feeds.statistics(await rig.service(), FROM), {
        days: [],
        statuses: { open: 0, acknowledged: 0, actioned: 0, rejected: 0, expired: 0 },
        families: [],
        timeToAct: Array.from({ length: 13 }, () => 0),
        isComplete: true,
      });
    });

    it('counts reports, statuses, names and the time to the first answer', async () => {
      const feed = await rig.service();
      const owner = await rig.account(feed);
      const first = await rig.create(feed, { tags: ['b'] });
      const second = await rig.create(feed, { tags: ['a'] });
      await rig.create(feed, { tags: ['c'], reportedAt: later(DAY_MS) });
      await rig.create(feed, { tags: ['c'], reportedAt: later(DAY_MS) });
      await rig.set(first, 'acknowledged', later(HOUR_MS), owner);
      await rig.set(first, 'actioned', later(HOUR_MS), owner);
      await rig.set(second, 'rejected', later(3 * DAY_MS), owner);
      // Reopened and answered again: only the first answer is counted as one.
      await rig.set(first, 'open', later(3 * DAY_MS), owner);
      await rig.set(first, 'actioned', later(3 * DAY_MS), owner);
      const counts = await store.feeds.statistics(feed, FROM);
      const day = { reported: 0, actioned: 0, rejected: 0, expired: 0 };
      assert.deepEqual(counts, {
        days: [
          { ...day, day: '2026-08-26', reported: 2, actioned: 1 },
          { ...day, day: '2026-08-27', reported: 2 },
          { ...day, day: '2026-08-29', actioned: 1, rejected: 1 },
        ],
        statuses: { open: 2, acknowledged: 0, actioned: 1, rejected: 1, expired: 0 },
        families: [
          { name: 'c', reports: 2 },
          { name: 'a', reports: 1 },
          { name: 'b', reports: 1 },
        ],
        timeToAct: [0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        isComplete: true,
      });
      const last = await store.feeds.statistics(feed, '2026-08-29');
      assert.equal(last.days.length, 1);
      assert.deepEqual(last.timeToAct, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    });

    it('tells the open reports of several feeds', async () => {
      const [empty, feed] = [await rig.service(), await rig.service()];
      const owner = await rig.account(feed);
      const report = await rig.create(feed);
      await rig.create(feed);
      assert.deepEqual(await store.feeds.openReports([feed, 'unknown', empty]), [2, 0, 0]);
      await rig.set(report, 'actioned', later(HOUR_MS), owner);
      assert.deepEqual(await store.feeds.openReports([empty, feed]), [0, 1]);
      assert.deepEqual(await store.feeds.openReports([]), []);
    });

    it('does not count a new note as another answer', async () => {
      const feed = await rig.service();
      const report = await rig.create(feed);
      const { id: accountId } = await rig.account(feed);
      for (const note of ['one', 'two'])
        await store.feeds.setStatus(
          { service: feed, ids: [report.id], limit: 1 },
          { accountId, actor: 'x', at: later(0), status: 'actioned', reason: undefined, note },
        );
      assert.equal((await store.feeds.statistics(feed, FROM)).days[0]?.actioned, 1);
    });

    it('subtracts a deleted report from everything that it was counted in', async () => {
      const feed = await rig.service();
      const report = await rig.create(feed, { tags: ['secret'] });
      await rig.create(feed, { tags: ['kept'] });
      const before = await store.feeds.statistics(feed, FROM);
      assert.equal(before.families.length, 2);
      await rig.set(report, 'actioned', later(HOUR_MS));
      await rig.set(report, 'open', later(2 * HOUR_MS));
      await rig.set(report, 'rejected', later(DAY_MS));
      assert.equal(await rig.delete(report), 'deleted');
      const counts = withoutEmptyDays(await store.feeds.statistics(feed, FROM));
      assert.deepEqual(counts, withoutEmptyDays(await recount(rig, feed)));
      assert.deepEqual(counts.families, [{ name: 'kept', reports: 1 }]);
    });

    it('adds what happens in any feed to those of all feeds', async () => {
      const feeds = [await rig.service(), await rig.service()] as const;
      const total = async () => {
        const { days, statuses } = await store.feeds.statistics(undefined, '2031-05-05');
        return [days.find(({ day }) => day === '2031-05-05')?.reported ?? 0, statuses.open];
      };
      const [reported = 0, openBefore = 0] = await total();
      for (const feed of feeds)
        await rig.create(feed, { reportedAt: new Date('2031-05-05T12:00:00.000Z') });
      assert.deepEqual(await total(), [reported + 2, openBefore + 2]);
    });

    it('finds the most frequent names of all feeds', async () => {
      const family = `frequent-${hex(4)}`;
      const feeds = await Promise.all(Array.from({ length: 20 }, () => rig.service()));
      for (const feed of feeds)
        await store.feeds.createMany(
          Array.from({ length: 70 }, (_, index) =>
            // Enough other names that the lists of the scopes are not complete.
            rig.report(feed, { tags: [index < 8 ? family : `rare-${feed}-${index}`] }),
          ),
        );
      const { families } = await store.feeds.statistics(undefined, FROM);
      assert.deepEqual(
        families.find((one) => one.name === family),
        { name: family, reports: 160 },
      );
      assert.equal(families.length, 20);
    });

    it('counts the spellings of a name together, however many names there are', async () => {
      const feed = await rig.service();
      const name = `Grabber_${hex(4)}`;
      const [lower, upper] = [name.toLowerCase(), name.toUpperCase()];
      const report = (tag: string) => rig.report(feed, { tags: [tag] });
      // Each of the others is more frequent than the spelling in lower case, which is not listed.
      const others = Array.from({ length: 70 }, (_, index) => `other-${feed}-${index}`);
      await store.feeds.createMany([
        ...[lower, upper, upper, upper, name, name].map(report),
        ...others.flatMap((other) => [report(other), report(other)]),
      ]);
      const { families } = await store.feeds.statistics(feed, FROM);
      assert.deepEqual(families[0], { name: upper, reports: 6 });
      assert.equal(families.length, 20);
      assert.equal(families.filter((one) => one.name.toLowerCase() === lower).length, 1);
    });

    for (const seed of [1, 2, 3])
      it(`equals a recount after random changes (${seed})`, async () => {
        const feeds = await Promise.all(Array.from({ length: 3 }, () => rig.service(2)));
        const changes = await RandomChanges.in(rig, feeds, seed);
        await changes.run(60);
        for (const feed of feeds) {
          const counts = await store.feeds.statistics(feed, FROM);
          assert.deepEqual(withoutEmptyDays(counts), await recount(rig, feed));
          assert.ok(counts.days.length > 1);
        }
        await checkTrust(rig, feeds, changes.reporters);
        await checkCounters(store);
      });
  });
}
