import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { objectNamespace } from '../../../src/domain/object-namespace.ts';
import type { Change } from '../../../src/domain/reports/change.ts';
import type { DeskStatus } from '../../../src/domain/reports/desk.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { asRead, DAY_MS, FeedRig, HOUR_MS, later } from './feed-rig.ts';
import { audit, BROKEN, NOW, newSample } from './store-contract.ts';

const numbers = (changes: readonly Change[]) => changes.map(({ sequence }) => sequence);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const steps = (changes: readonly Change[]) =>
  changes.map(({ type, reportId }) => `${type} ${reportId}`);

interface Deed {
  readonly what: string;
  readonly feed: string;
  readonly which: number;
  readonly status: DeskStatus;
  readonly port: number;
}

/** Changes, desk work, sightings and expiry of feeds on every store. */
export function feedsContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store of feeds`, () => {
    let store: Store;
    let rig: FeedRig;
    before(async () => {
      store = await open();
      rig = await FeedRig.in(store);
    });
    after(() => store.close());

    describe('changes', () => {
      it('list the whole history of a feed in pages, with the current reports', async () => {
        const feed = await rig.service();
        const [one, two] = [await rig.create(feed), await rig.create(feed)];
        await rig.set(one, 'acknowledged', later(1));
        await rig.delete(two, later(2));
        const changes = await rig.changes(feed, new Map(), 1);
        assert.deepEqual(numbers(changes), [1, 2, 3, 4]);
        assert.deepEqual(steps(changes), [
          `created ${one.id}`,
          `created ${two.id}`,
          `updated ${one.id}`,
          `deleted ${two.id}`,
        ]);
        assert.deepEqual(
          changes.map(({ report }) => report?.status),
          ['acknowledged', undefined, 'acknowledged', undefined],
        );
        assert.deepEqual(changes[3]?.at, later(2));
        assert.deepEqual(await store.feeds.heads(feed), new Map([[feed, 4]]));
      });

      it('have no gaps and no duplicates under concurrent writes', async () => {
        const feeds = [await rig.service(1), await rig.service(1)];
        const owner = await rig.account(...feeds);
        const made: NewReport[] = [];
        const at = () => later(made.length * HOUR_MS);
        const deeds: Readonly<Record<string, (deed: Deed, known: NewReport) => Promise<unknown>>> =
          {
            create: ({ feed, port }) => {
              const c2 = { host: 'evil.example', port };
              const report = rig.report(feed, { c2, reportedAt: at() });
              made.push(report);
              return store.reports.create(report);
            },
            bulk: ({ feed }) => store.feeds.createMany([rig.report(feed), rig.report(feed)]),
            expire: () => store.feeds.expire(at(), 3),
            delete: (_, known) => rig.delete(known, at()),
            set: ({ status }, known) => rig.set(known, status, at(), owner),
            analyse: ({ status }, { sha256 }) =>
              store.samples.putAll([newSample({ sha256, configs: { [status]: {} } })], at()),
          };
        const chosen = fc.sample(
          fc.record<Deed>({
            what: fc.constantFrom('create', ...Object.keys(deeds)),
            feed: fc.constantFrom(...feeds),
            which: fc.nat(),
            status: fc.constantFrom<DeskStatus>('open', 'acknowledged', 'actioned'),
            port: fc.integer({ min: 1, max: 3 }),
          }),
          { numRuns: 300, seed: 4 },
        );
        made.push(await rig.create(feeds[0] ?? ''));
        const perform = (deed: Deed) =>
          deeds[deed.what]?.(deed, made[deed.which % made.length] as NewReport);
        for (let from = 0; from < chosen.length; from += 12)
          await Promise.all(chosen.slice(from, from + 12).map(perform));

        for (const feed of feeds) {
          const changes = await rig.changes(feed);
          const head = (await store.feeds.heads(feed)).get(feed) ?? 0;
          assert.deepEqual(numbers(changes), upTo(head));
          assert.ok(new Set(changes.map(({ type }) => type)).size === 3);
          await checkAgainstList(feed, changes);
        }
        const mine = (await rig.changes(undefined, new Map(), 50)).filter(({ service }) =>
          feeds.includes(service),
        );
        for (const feed of feeds)
          assert.deepEqual(
            mine.filter(({ service }) => service === feed).map(({ sequence }) => sequence),
            numbers(await rig.changes(feed)),
          );
      });

      /** Replaying all changes gives the existing reports with their last sequences. */
      async function checkAgainstList(feed: string, changes: readonly Change[]): Promise<void> {
        const last = new Map<string, Change>();
        for (const change of changes) last.set(change.reportId, change);
        const standing = [...last.values()].filter(({ type }) => type !== 'deleted');
        const listed = [
          ...(await rig.list(feed)),
          ...(await rig.list(feed, { status: 'expired' })),
        ];
        assert.deepEqual(
          listed.map(({ id, sequence }) => `${id} ${sequence}`).sort(),
          standing.map(({ reportId, sequence }) => `${reportId} ${sequence}`).sort(),
        );
      }

      it('of all feeds are ordered by time, those of a feed by sequence, after a position in every feed', async () => {
        const [one, two] = [await rig.service(), await rig.service()];
        const start = await store.feeds.heads(undefined);
        const made = [];
        for (const [turn, feed] of [one, two, two, one, one].entries())
          made.push(await rig.create(feed, { reportedAt: later(turn) }));
        const since = new Map([...start].filter(([, sequence]) => sequence > 0));
        const changes = await rig.changes(undefined, since, 2);
        assert.deepEqual(
          steps(changes),
          made.map(({ id }) => `created ${id}`),
        );
        const page = await rig.page(undefined, since, 2);
        assert.deepEqual([page.next.get(one), page.next.get(two), page.hasMore], [1, 1, true]);
        assert.deepEqual([page.heads.get(one), page.heads.get(two)], [3, 2]);
      });

      it('refuse a position that was not reached, and a feed that does not exist', async () => {
        const feed = await rig.service();
        await rig.create(feed);
        const ask = (scope: string | undefined, since: [string, number][]) =>
          store.feeds.changes({ scope, since: new Map(since), limit: 10 }, asRead);
        assert.equal(await ask(feed, [[feed, 2]]), 'ahead');
        assert.equal(await ask(undefined, [[feed, 2]]), 'ahead');
        assert.equal(await ask(undefined, [['nowhere', 1]]), 'ahead');
        assert.equal(await ask('nowhere', []), 'unknown-service');
        assert.deepEqual((await rig.page(feed, new Map([[feed, 1]]))).changes, []);
      });

      it('that were deleted are too old, and nothing else is lost with them', async () => {
        const feed = await rig.service();
        const [gone, kept] = [await rig.create(feed), await rig.create(feed)];
        await rig.delete(gone, later(DAY_MS));
        await rig.create(feed, { reportedAt: later(2 * DAY_MS) });
        const forget = (limit: number) => store.feeds.deleteOldChanges(later(2 * DAY_MS), limit);
        // Other feeds of this store have old changes too.
        while ((await forget(2)) > 0);
        const ask = (since: number) =>
          store.feeds.changes({ scope: feed, since: new Map([[feed, since]]), limit: 10 }, asRead);
        assert.equal(await ask(2), 'too-old');
        assert.equal(
          await store.feeds.changes({ scope: undefined, since: new Map(), limit: 10 }, asRead),
          'too-old',
        );
        const page = await ask(3);
        assert.deepEqual(typeof page === 'object' && numbers(page.changes), [4]);
        assert.equal((await rig.find(kept)).id, kept.id);
        assert.equal(await forget(10), 0);
      });
    });

    describe('listeners', () => {
      it('are called for each feed that a commit has changed, after the commit', async () => {
        const [one, two] = [await rig.service(), await rig.service()];
        const unchanged = await rig.service();
        const notified = new Set<string>();
        const stop = store.feeds.onChange((feed) => notified.add(feed));
        await Promise.all([rig.create(one), rig.create(two), rig.create(one)]);
        await store.reports.create(rig.report('nowhere'));
        // The poll of PostgreSQL also tells of what this node has changed since the last one.
        const isNotified = [one, two, unchanged, 'nowhere'].map((feed) => notified.has(feed));
        assert.deepEqual(isNotified, [true, true, false, false]);
        stop();
        await rig.create(unchanged);
        assert.ok(!notified.has(unchanged), 'the listener is unsubscribed');
      });

      it('for deliveries are called after a change that queues some, and no other', async () => {
        const [quiet, hooked] = [await rig.service(), await rig.service()];
        await rig.webhook(hooked);
        let calls = 0;
        const stop = store.webhooks.onQueued(() => {
          calls += 1;
        });
        await rig.create(quiet);
        assert.equal(calls, 0, 'the feed has no webhook');
        const report = await rig.create(hooked);
        assert.equal(calls, 1);
        await rig.set(report, 'acknowledged', later(1));
        assert.equal(calls, 1, 'no webhook subscribes to updates');
        stop();
        await rig.create(hooked);
        assert.equal(calls, 1, 'the listener is unsubscribed');
      });

      it('are not called for failed writes', async () => {
        const feed = await rig.service();
        const notified: string[] = [];
        const stop = store.feeds.onChange((changed) => notified.push(changed));
        await assert.rejects(store.reports.create(rig.report(feed, BROKEN)));
        stop();
        assert.ok(!notified.includes(feed));
      });
    });

    describe('many reports at once', () => {
      it('are created in order, each as by a single create', async () => {
        const feed = await rig.service();
        const retry = { route: 'bulk', key: 'k', fingerprint: Buffer.from('a') };
        const [first, last] = [rig.report(feed, { retry }), rig.report(feed)];
        const asked = [
          first,
          rig.report('nowhere'),
          rig.report(feed, { retry }),
          rig.report(feed, { retry: { ...retry, fingerprint: Buffer.from('b') } }),
          { ...last, c2: first.c2, sha256: first.sha256 },
        ];
        assert.deepEqual(await store.feeds.createMany(asked), [
          { kind: 'created', id: first.id },
          { kind: 'unknown-service' },
          { kind: 'replayed', id: first.id },
          { kind: 'key-reused' },
          { kind: 'created', id: last.id },
        ]);
        assert.deepEqual(numbers(await rig.changes(feed)), [1, 2]);
        assert.equal((await rig.find(last)).firstSeenId, first.id);
        assert.deepEqual(await store.feeds.createMany([]), []);
      });

      it('are all created or none', async () => {
        const feed = await rig.service();
        const reports = [rig.report(feed), rig.report(feed, BROKEN)];
        await assert.rejects(store.feeds.createMany(reports));
        assert.deepEqual(await store.feeds.heads(feed), new Map([[feed, 0]]));
      });
    });

    describe('the desk', () => {
      const accept = {
        status: 'actioned' as const,
        reason: 'suspended',
        note: 'thank you',
        actor: 'desk',
        at: later(5),
      };

      it('changes a report for the owner of its feed, and for no other account', async () => {
        const [feed, other] = [await rig.service(), await rig.service()];
        const [owner, stranger] = [await rig.account(feed), await rig.account(other)];
        const report = await rig.create(feed);
        const set = (service: string, accountId: string) =>
          store.feeds.setStatus({ service, ids: [report.id], limit: 10 }, { ...accept, accountId });
        assert.equal(await set(feed, stranger.id), 'forbidden');
        assert.equal(await set(feed, rig.reporter.id), 'forbidden');
        assert.equal(await set('nowhere', owner.id), 'forbidden');
        assert.deepEqual(await set(other, stranger.id), {
          changed: 0,
          absent: [report.id],
          next: undefined,
        });
        assert.equal((await rig.find(report)).status, 'open');
        assert.deepEqual(await set(feed, owner.id), { changed: 1, absent: [], next: undefined });
        const { status, statusReason, statusNote, updatedAt, sequence } = await rig.find(report);
        assert.deepEqual(
          { status, statusReason, statusNote, updatedAt, sequence },
          {
            status: 'actioned',
            statusReason: 'suspended',
            statusNote: 'thank you',
            updatedAt: later(5),
            sequence: 2,
          },
        );
      });

      it('changes nothing if the report has the status already', async () => {
        const feed = await rig.service();
        const { id: accountId } = await rig.account(feed);
        const report = await rig.create(feed);
        const set = (members: object) =>
          store.feeds.setStatus(
            { service: feed, ids: [report.id, report.id], limit: 10 },
            { ...accept, accountId, ...members },
          );
        const changed = [];
        for (const members of [{}, {}, { note: 'more' }, { note: undefined, reason: undefined }]) {
          const outcome = await set(members);
          changed.push(typeof outcome === 'object' && outcome.changed);
        }
        assert.deepEqual(changed, [1, 0, 1, 1]);
        assert.deepEqual(numbers(await rig.changes(feed)), [1, 2, 3, 4]);
      });

      it('changes all reports that match a filter, in slices', async () => {
        const feed = await rig.service();
        const { id: accountId } = await rig.account(feed);
        const c2 = { host: 'evil.example', port: 443 };
        const wanted = await Promise.all(Array.from({ length: 5 }, () => rig.create(feed, { c2 })));
        const other = await rig.create(feed);
        const target = { service: feed, filter: { host: c2.host }, limit: 2 };
        const changed: number[] = [];
        let after: string | undefined;
        do {
          const outcome = await store.feeds.setStatus(
            { ...target, after },
            { ...accept, accountId },
          );
          assert.ok(typeof outcome === 'object');
          changed.push(outcome.changed);
          after = outcome.next;
        } while (after !== undefined);
        assert.deepEqual(changed, [2, 2, 1]);
        for (const report of wanted) assert.equal((await rig.find(report)).status, 'actioned');
        assert.equal((await rig.find(other)).status, 'open');
      });
    });

    describe('sightings', () => {
      const c2 = { host: 'evil.example', port: 4444 };

      it('and reporters are counted as of the last change of each report', async () => {
        const feed = await rig.service();
        const { id: reporterId, name: reportedBy } = await rig.account();
        const counts = async (report: NewReport) => {
          const { sightings, corroboration } = await rig.find(report);
          return [sightings, corroboration];
        };
        const one = await rig.create(feed, { c2 });
        const two = await rig.create(feed, { c2 });
        const three = await rig.create(feed, { c2, reporterId, reportedBy });
        const elsewhere = await rig.create(await rig.service(), { c2 });
        assert.deepEqual(await Promise.all([one, two, three, elsewhere].map(counts)), [
          [1, 0],
          [2, 0],
          [3, 1],
          [1, 0],
        ]);
        await rig.set(one, 'acknowledged');
        assert.deepEqual(await counts(one), [3, 1]);
        await rig.delete(three);
        await rig.delete(two);
        await rig.set(one, 'open');
        assert.deepEqual(await counts(one), [1, 0]);
        const four = await rig.create(feed, { c2, reporterId, reportedBy });
        assert.deepEqual(await counts(four), [2, 1]);
      });

      it('of a C2 with an actioned report are recurrences, and the old reports stay as they are', async () => {
        const feed = await rig.service();
        const recurrence = async () => (await rig.find(await rig.create(feed, { c2 }))).recurrence;
        const first = await rig.create(feed, { c2 });
        assert.equal(await recurrence(), false);
        await rig.set(first, 'actioned');
        assert.equal(await recurrence(), true);
        const { status, recurrence: ofFirst } = await rig.find(first);
        assert.deepEqual([status, ofFirst], ['actioned', false]);
        await rig.set(first, 'open');
        assert.equal(await recurrence(), false, 'no report of the C2 is actioned');
        assert.equal((await rig.find(await rig.create(feed))).recurrence, false);
      });

      it('renew the open reports of the C2, each as a separate change', async () => {
        const feed = await rig.service(10);
        const owner = await rig.account(feed);
        const [open, seen, closed] = [
          await rig.create(feed, { c2 }),
          await rig.create(feed, { c2 }),
          await rig.create(feed, { c2 }),
        ];
        await rig.set(seen, 'acknowledged', NOW, owner);
        await rig.set(closed, 'rejected', NOW, owner);
        const again = await rig.create(feed, { c2, reportedAt: later(DAY_MS) });
        const changes = (await rig.changes(feed)).slice(5);
        assert.deepEqual(steps(changes), [
          `created ${again.id}`,
          `updated ${open.id}`,
          `updated ${seen.id}`,
        ]);
        assert.deepEqual(numbers(changes), [6, 7, 8]);
        for (const { reportId, report } of changes) {
          const { expiresAt } = await rig.find({ service: feed, id: reportId });
          assert.deepEqual(expiresAt, later(11 * DAY_MS));
          assert.equal(report?.sightings, 4);
        }
        assert.deepEqual((await rig.find(open)).updatedAt, later(DAY_MS));
        assert.deepEqual((await rig.find(closed)).expiresAt, later(10 * DAY_MS));
      });

      it('within an hour renew nothing', async () => {
        const feed = await rig.service();
        const first = await rig.create(feed, { c2 });
        await rig.create(feed, { c2, reportedAt: later(HOUR_MS - 1) });
        assert.equal((await rig.find(first)).sequence, 1);
        await rig.create(feed, { c2, reportedAt: later(HOUR_MS) });
        assert.equal((await rig.find(first)).sequence, 4);
      });

      it('renew no more than the newest hundred, and leave no gap in the sequence', async () => {
        const feed = await rig.service();
        await store.feeds.createMany(Array.from({ length: 130 }, () => rig.report(feed, { c2 })));
        const reportedAt = later(DAY_MS);
        const again = [rig.report(feed, { c2, reportedAt }), rig.report(feed, { reportedAt })];
        await store.feeds.createMany(again);
        const changes = await rig.changes(feed, new Map(), 500);
        assert.deepEqual(numbers(changes), upTo(232));
        const updated = changes.filter(({ type }) => type === 'updated');
        const found = await Promise.all(
          updated.map(({ service, reportId }) => rig.find({ service, id: reportId })),
        );
        assert.deepEqual(
          found.map(({ createdSequence }) => createdSequence),
          Array.from({ length: 100 }, (_, at) => 31 + at),
        );
      });
    });

    describe('expiry', () => {
      const c2 = { host: 'evil.example', port: 4444 };
      const expireAll = async (now: Date) => {
        let looked = 0;
        for (let more = 1; more > 0; looked += more) more = await store.feeds.expire(now, 3);
        return looked;
      };

      it('expires open and acknowledged reports that are due', async () => {
        const feed = await rig.service(10);
        const owner = await rig.account(feed);
        const made = [];
        for (let turn = 0; turn < 4; turn += 1) made.push(await rig.create(feed));
        const [open, seen, done, wrong] = made;
        assert.ok(open && seen && done && wrong);
        await rig.set(seen, 'acknowledged', NOW, owner);
        await rig.set(done, 'actioned', NOW, owner);
        await rig.set(wrong, 'rejected', NOW, owner);
        await expireAll(later(10 * DAY_MS - 1));
        assert.equal((await store.feeds.heads(feed)).get(feed), 7);
        await expireAll(later(10 * DAY_MS));
        const states = await Promise.all(
          made.map(async (report) => (await rig.find(report)).status),
        );
        assert.deepEqual(states, ['expired', 'expired', 'actioned', 'rejected']);
        const changes = (await rig.changes(feed)).slice(7);
        assert.deepEqual(numbers(changes), [8, 9]);
        assert.deepEqual(steps(changes), [`updated ${open.id}`, `updated ${seen.id}`]);
        const { updatedAt } = await rig.find(open);
        assert.ok(updatedAt >= later(10 * DAY_MS));
        assert.equal(await store.feeds.expire(later(10 * DAY_MS), 10), 0, 'nothing is left');
      });

      it('renews reports whose C2 was reported again since, instead of expiring them', async () => {
        const feed = await rig.service(10);
        const old = await rig.create(feed, { c2 });
        const within = later(HOUR_MS / 2);
        await rig.create(feed, { c2, reportedAt: within });
        await expireAll(later(10 * DAY_MS));
        const { status, expiresAt } = await rig.find(old);
        assert.deepEqual([status, expiresAt], ['open', later(10 * DAY_MS, within)]);
        await expireAll(later(10 * DAY_MS, within));
        assert.equal((await rig.find(old)).status, 'expired');
      });

      it('uses the current expiry period of the feed', async () => {
        const feed = await rig.service(10);
        const report = await rig.create(feed);
        const changed = await store.services.change(feed, { expireAfterDays: 30 }, audit);
        assert.equal(typeof changed === 'object' && changed.expireAfterDays, 30);
        await expireAll(later(10 * DAY_MS));
        assert.deepEqual((await rig.find(report)).expiresAt, later(30 * DAY_MS));
      });

      it('is not undone by a new sighting, but by the desk, which starts a full period', async () => {
        const feed = await rig.service(10);
        const report = await rig.create(feed, { c2 });
        await expireAll(later(10 * DAY_MS));
        await rig.create(feed, { c2, reportedAt: later(11 * DAY_MS) });
        assert.equal((await rig.find(report)).status, 'expired');
        await rig.set(report, 'open', later(12 * DAY_MS));
        const { status, expiresAt } = await rig.find(report);
        assert.deepEqual([status, expiresAt], ['open', later(22 * DAY_MS)]);
        assert.ok((await rig.list(feed)).some(({ id }) => id === report.id));
      });
    });

    it('states of all feeds are those of each feed, after every kind of change', async () => {
      const feed = await rig.service();
      const check = async () => {
        const all = await store.feeds.states(undefined);
        const of = (slug: string) => all.find(({ service }) => service.slug === slug);
        const [alone] = await store.feeds.states(feed);
        assert.deepEqual(of(feed), alone);
        assert.equal(await store.feeds.states(undefined), all, 'the same until a change');
        return alone;
      };
      await check();
      const report = await rig.create(feed);
      assert.equal((await check())?.head, 1);
      await rig.delete(report, later(1));
      assert.equal((await check())?.head, 2);
      await store.services.change(feed, { name: 'Other' }, audit);
      assert.equal((await check())?.service.name, 'Other');
      const changedAt = (await check())?.changedAt;
      while ((await store.feeds.deleteOldChanges(later(1000 * DAY_MS), 1000)) > 0);
      assert.equal((await check())?.changedAt, changedAt);
    });

    it('declared hosts are those of all services, and change with any of them', async () => {
      const [one, other] = [await rig.service(), await rig.service()];
      await store.services.change(one, { hosts: ['*.one.example'] }, audit);
      const before = await store.feeds.declaredHosts();
      assert.equal(await store.feeds.declaredHosts(), before);
      const changes = { hosts: ['gate.other.example'], networks: ['45.9.9.0/24'] };
      await store.services.change(other, changes, audit);
      const after = await store.feeds.declaredHosts();
      assert.notEqual(after.digest, before.digest);
      assert.ok(after.hosts.includes('*.one.example'));
      assert.ok(after.hosts.includes('gate.other.example'));
      assert.ok(after.networks.includes('45.9.9.0/24'));
      await store.services.change(other, { hosts: [], networks: [] }, audit);
      assert.equal((await store.feeds.declaredHosts()).digest, before.digest);
    });

    it('a new name is a change like any other', async () => {
      const feed = await rig.service();
      const report = await rig.create(feed);
      await store.samples.putAll([newSample({ sha256: report.sha256 })], later(7));
      const { name, sequence, updatedAt, createdSequence } = await rig.find(report);
      assert.deepEqual([name, sequence, updatedAt, createdSequence], ['LANTERN', 2, later(7), 1]);
    });

    it('generates one secret', async () => {
      const [one, other] = await Promise.all([store.feeds.secret(), store.feeds.secret()]);
      assert.equal(one.length, 32);
      assert.deepEqual(one, other);
      assert.deepEqual(await store.feeds.secret(), one);
    });

    it('has one namespace of object ids', async () => {
      const { feeds } = store;
      const [one, other] = await Promise.all([feeds.objectNamespace(), feeds.objectNamespace()]);
      assert.equal(one, other);
      assert.equal(one, objectNamespace(await feeds.secret()));
    });
  });
}
