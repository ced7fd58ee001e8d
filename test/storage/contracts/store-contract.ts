import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { AnalysisReport } from '../../../src/domain/samples/analysis-report.ts';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { Service } from '../../../src/domain/services/service.ts';
import type { AuditContext } from '../../../src/ports/audit-context.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { NewAccount, NewToken, Serializers, Store } from '../../../src/ports/store.ts';
import type { Webhook } from '../../../src/ports/webhook-store.ts';

export const NOW = new Date('2026-08-26T10:00:00.000Z');
export const audit: AuditContext = { actor: 'contract', at: NOW };
export const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** A value that every database refuses in a report. */
export const BROKEN = { reference: null as never };

export function newToken(members: Partial<NewToken> = {}): NewToken {
  return {
    id: randomUUID(),
    digest: randomBytes(32),
    hint: 'rap_abcd…',
    label: '',
    expiresAt: undefined,
    ...members,
  };
}

export function newAccount(members: Partial<NewAccount> = {}): NewAccount {
  const id = randomUUID();
  return {
    id,
    name: `account ${id}`,
    roles: ['researcher'],
    services: [],
    quota: { limit: 1000, period: 'day' },
    expiresAt: undefined,
    ...members,
  };
}

export function newSample(members: Partial<AnalysisReport> = {}): AnalysisReport {
  return {
    date: NOW,
    tags: [],
    ssdeep: '',
    configs: { LANTERN: {} },
    md5: hex(16),
    sha1: hex(20),
    sha256: hex(32),
    sha512: hex(64),
    blake3: hex(32),
    fileName: 'a.exe',
    sizeBytes: 1,
    duration: '',
    ...members,
  };
}

export function newService(members: Partial<Service> = {}): Service {
  const slug = `s-${randomUUID()}`;
  return {
    slug,
    name: members.slug ?? slug,
    confidenceScale: 100,
    hosts: [],
    networks: [],
    expireAfterDays: 90,
    createdAt: NOW,
    ...members,
  };
}

export function newReport(
  service: string,
  reporter: NewAccount,
  members: Partial<NewReport> = {},
): NewReport {
  return {
    id: randomUUID(),
    service,
    tags: ['tag'],
    c2: { host: 'evil.example', port: 443 },
    sha256: hex(32),
    reference: 'https://research.example/',
    confidence: 50,
    reporterId: reporter.id,
    reportedBy: reporter.name,
    reportedAt: NOW,
    retry: undefined,
    ...members,
  };
}

/** A webhook for new reports. */
export function newWebhook(
  service: string,
  { id: accountId, name }: NewAccount,
  members: Partial<Webhook> = {},
): Webhook {
  return {
    id: randomUUID(),
    service,
    url: 'https://desk.example/hook',
    events: ['report.created'],
    format: 'standard',
    createdBy: name,
    createdAt: NOW,
    owner: { accountId, name, disabled: false, expiresAt: undefined, ownsFeed: true },
    disabledAt: undefined,
    disabledReason: undefined,
    failingSince: undefined,
    ...members,
  };
}

/** Not the wire format: a store keeps any serialization. */
export const testForms: Serializers = {
  report: ({ id, name, sequence }) => JSON.stringify({ id, name, sequence }),
  analysis: ({ sha256, fileName, ssdeep, tags, md5, sha1 }) =>
    JSON.stringify({ sha256, fileName, ssdeep, tags, md5, sha1 }),
  readAnalysis: (body) => JSON.parse(body),
};

/** The contract of every store. Each database calls this with a function that opens one. */
export function storeContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} store`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    async function service(confidenceScale = 100): Promise<string> {
      const added = newService({ confidenceScale });
      await store.services.add(added, audit);
      return added.slug;
    }

    async function account(members: Partial<NewAccount> = {}): Promise<NewAccount> {
      const made = newAccount(members);
      assert.ok('id' in Object(await store.accounts.add(made, newToken(), audit)));
      return made;
    }

    const lookUp = (accountId: string, hash: string, now = NOW) =>
      store.samples.lookUp({ accountId, hash: parseFileHash(hash), now });

    describe('reports', () => {
      it('returns the created report', async () => {
        const [slug, reporter] = [await service(), await account()];
        const report = newReport(slug, reporter, {
          tags: ['a', 'ü"\u2603'],
          c2: { host: '2001:db8::7', port: 1 },
        });
        assert.deepEqual(await store.reports.create(report), { kind: 'created', id: report.id });
        assert.deepEqual(await store.reports.find(slug, report.id), {
          id: report.id,
          service: slug,
          sequence: 1,
          name: 'a',
          tags: report.tags,
          c2: report.c2,
          reportedAt: NOW,
          reporterId: reporter.id,
          reportedBy: reporter.name,
          sha256: report.sha256,
          firstSeenId: report.id,
          reference: report.reference,
          confidence: 50,
          createdSequence: 1,
          status: 'open',
          statusReason: undefined,
          statusNote: undefined,
          statusBy: undefined,
          updatedAt: NOW,
          expiresAt: new Date('2026-11-24T10:00:00.000Z'),
          corroboration: 0,
          sightings: 1,
          recurrence: false,
          confirmation: 'unknown',
          routedTo: undefined,
        });
      });

      it('numbers the changes of each feed from one, without a gap, under concurrent writes', async () => {
        const [one, other, reporter] = [await service(), await service(), await account()];
        const reports = Array.from({ length: 60 }, (_, at) =>
          newReport(at % 3 ? one : other, reporter),
        );
        await Promise.all(reports.map((report) => store.reports.create(report)));
        for (const [slug, count] of [
          [one, 40],
          [other, 20],
        ] as const) {
          const found = await Promise.all(
            reports
              .filter((report) => report.service === slug)
              .map(({ id }) => store.reports.find(slug, id)),
          );
          const numbers = found.map((report) => report?.sequence).sort((a = 0, b = 0) => a - b);
          assert.deepEqual(
            numbers,
            Array.from({ length: count }, (_, at) => at + 1),
          );
        }
      });

      it('keeps a report serialized', async () => {
        const [slug, reporter] = [await service(), await account()];
        const reports = [newReport(slug, reporter), newReport(slug, reporter)];
        await Promise.all(reports.map((report) => store.reports.create(report)));
        const fetched = await Promise.all(
          [...reports, { id: 'absent' }].map(({ id }) => store.reports.fetch(slug, id)),
        );
        const forms = reports.map(({ id }, at) =>
          JSON.stringify({ id, name: 'tag', sequence: at + 1 }),
        );
        assert.deepEqual(fetched, [...forms, undefined]);
      });

      it('gives concurrent fetches the report of their own feed and id', async () => {
        const [slug, other, reporter] = [await service(), await service(), await account()];
        const reports = Array.from({ length: 50 }, (_, at) =>
          newReport(at % 2 === 0 ? slug : other, reporter),
        );
        await Promise.all(reports.map((report) => store.reports.create(report)));
        const keys = [...reports, ...reports].flatMap(({ id }) => [
          { feed: slug, id },
          { feed: other, id },
          { feed: 'nowhere', id },
        ]);
        const fetched = await Promise.all(
          keys.map(({ feed, id }) => store.reports.fetch(feed, id)),
        );
        const ids = fetched.map((body) => body && JSON.parse(body).id);
        const feedOf = new Map(reports.map((report) => [report.id, report.service]));
        assert.deepEqual(
          ids,
          keys.map(({ feed, id }) => (feedOf.get(id) === feed ? id : undefined)),
        );
      });

      it('does not find a report in another feed', async () => {
        const [slug, other, reporter] = [await service(), await service(), await account()];
        const report = newReport(slug, reporter);
        await store.reports.create(report);
        assert.equal(await store.reports.find(other, report.id), undefined);
        assert.equal(await store.reports.fetch(other, report.id), undefined);
      });

      it('refuses a report to a feed that does not exist, and creates the others of the batch', async () => {
        const [slug, reporter] = [await service(), await account()];
        const [good, bad] = [newReport(slug, reporter), newReport('nowhere', reporter)];
        const outcomes = await Promise.all([store.reports.create(bad), store.reports.create(good)]);
        assert.deepEqual(outcomes, [{ kind: 'unknown-service' }, { kind: 'created', id: good.id }]);
        assert.equal((await store.reports.find(slug, good.id))?.sequence, 1);
      });

      it('creates the others of a batch when one fails', async () => {
        const [slug, reporter] = [await service(), await account()];
        const [first, last] = [newReport(slug, reporter), newReport(slug, reporter)];
        const broken = { ...newReport(slug, reporter), ...BROKEN };
        const outcomes = await Promise.allSettled(
          [first, broken, last].map((report) => store.reports.create(report)),
        );
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled'],
        );
        const numbers = [first, last].map(
          async ({ id }) => (await store.reports.find(slug, id))?.sequence,
        );
        assert.deepEqual(await Promise.all(numbers), [1, 2]);
      });

      it('refers to the oldest existing report of the same C2', async () => {
        const [slug, reporter] = [await service(), await account()];
        const ids: string[] = [];
        const add = async () => {
          const report = newReport(slug, reporter);
          await store.reports.create(report);
          ids.push(report.id);
          return (await store.reports.find(slug, report.id))?.firstSeenId;
        };
        assert.equal(await add(), ids[0]);
        assert.equal(await add(), ids[0]);
        await store.reports.delete(
          slug,
          { accountId: reporter.id, ownsFeed: false },
          { id: ids[0] ?? '', by: reporter.name, at: NOW, reason: '' },
        );
        assert.equal(await add(), ids[1]);
        assert.equal(
          (await store.reports.find(slug, ids[1] ?? ''))?.firstSeenId,
          ids[0],
          'once given it stays',
        );
      });

      it('deletes for the creator and for an owner, and for no other account', async () => {
        const [slug, reporter, stranger] = [await service(), await account(), await account()];
        const [one, two] = [newReport(slug, reporter), newReport(slug, reporter)];
        await Promise.all([store.reports.create(one), store.reports.create(two)]);
        const remove = (id: string, accountId: string, ownsFeed: boolean, feed = slug) =>
          store.reports.delete(feed, { accountId, ownsFeed }, { id, by: 'x', at: NOW, reason: '' });
        assert.equal(await remove(one.id, stranger.id, false), 'forbidden');
        assert.equal(await remove(one.id, stranger.id, true, await service()), 'absent');
        assert.equal(await remove(one.id, reporter.id, false), 'deleted');
        assert.equal(await remove(one.id, reporter.id, false), 'absent');
        assert.equal(await remove(two.id, stranger.id, true), 'deleted');
        assert.equal(await store.reports.find(slug, one.id), undefined);
      });

      it('deletes a report once under concurrent calls', async () => {
        const [slug, reporter] = [await service(), await account()];
        const report = newReport(slug, reporter);
        await store.reports.create(report);
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, () =>
            store.reports.delete(
              slug,
              { accountId: reporter.id, ownsFeed: false },
              { id: report.id, by: 'x', at: NOW, reason: '' },
            ),
          ),
        );
        assert.deepEqual(outcomes.sort(), [...Array(9).fill('absent'), 'deleted']);
      });

      it('gives a deletion the next sequence of the feed', async () => {
        const [slug, reporter] = [await service(), await account()];
        const [one, two] = [newReport(slug, reporter), newReport(slug, reporter)];
        await store.reports.create(one);
        await store.reports.purge({ id: one.id, by: 'x', at: NOW, reason: 'law' }, audit);
        await store.reports.create(two);
        assert.equal((await store.reports.find(slug, two.id))?.sequence, 3);
        assert.equal(
          await store.reports.purge({ id: one.id, by: 'x', at: NOW, reason: '' }, audit),
          'absent',
        );
      });
    });

    describe('retry keys', () => {
      const retry = (key: string, fingerprint = 'a') => ({
        route: 'POST',
        key,
        fingerprint: Buffer.from(fingerprint),
      });

      it('returns the first answer for the same key and body, also to concurrent calls', async () => {
        const [slug, reporter] = [await service(), await account()];
        const reports = Array.from({ length: 5 }, () =>
          newReport(slug, reporter, { retry: retry('k') }),
        );
        const outcomes = await Promise.all(reports.map((report) => store.reports.create(report)));
        const first = reports[0]?.id;
        assert.deepEqual(
          outcomes.map((outcome) => 'id' in outcome && outcome.id),
          Array(5).fill(first),
        );
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['created', ...Array(4).fill('replayed')],
        );
        const next = newReport(slug, reporter);
        await store.reports.create(next);
        assert.equal(
          (await store.reports.find(slug, next.id))?.sequence,
          2,
          'a replay takes no number',
        );
      });

      it('refuses the same key with another body, and separates accounts and routes', async () => {
        const [slug, reporter, other] = [await service(), await account(), await account()];
        const create = async (from: NewAccount, key: ReturnType<typeof retry>) =>
          (await store.reports.create(newReport(slug, from, { retry: key }))).kind;
        assert.equal(await create(reporter, retry('k')), 'created');
        assert.equal(await create(reporter, retry('k', 'b')), 'key-reused');
        assert.equal(await create(other, retry('k')), 'created');
        assert.equal(await create(reporter, { ...retry('k'), route: 'elsewhere' }), 'created');
      });

      it('ignores a key after a day', async () => {
        const [slug, reporter] = [await service(), await account()];
        const create = async (at: string, fingerprint: string) =>
          (
            await store.reports.create(
              newReport(slug, reporter, {
                retry: retry('k', fingerprint),
                reportedAt: new Date(at),
              }),
            )
          ).kind;
        assert.equal(await create('2026-08-26T10:00:00.000Z', 'a'), 'created');
        assert.equal(await create('2026-08-27T09:59:59.999Z', 'b'), 'key-reused');
        assert.equal(await create('2026-08-27T10:00:00.000Z', 'b'), 'created');
        assert.equal(await create('2026-08-27T10:00:01.000Z', 'b'), 'replayed');
        await store.reports.deleteOldRetryKeys(new Date('2026-08-28T00:00:00.000Z'), 100);
        assert.equal(await create('2026-08-27T10:00:02.000Z', 'c'), 'created');
      });

      it('deletes old keys in slices, the oldest first, and no others', async () => {
        const [slug, reporter] = [await service(), await account()];
        const create = async (key: string, at: string) =>
          (
            await store.reports.create(
              newReport(slug, reporter, { retry: retry(key), reportedAt: new Date(at) }),
            )
          ).kind;
        // Older than all other keys of this store.
        for (const key of ['1', '2', '3']) await create(key, `2001-01-01T00:00:0${key}.000Z`);
        await create('4', '2001-01-02T00:00:00.000Z');
        const before = new Date('2001-01-02T00:00:00.000Z');
        assert.equal(await store.reports.deleteOldRetryKeys(before, 2), 2);
        assert.equal(await create('1', '2001-01-01T00:01:00.000Z'), 'created');
        assert.equal(await create('3', '2001-01-01T00:01:00.000Z'), 'replayed');
        assert.equal(await store.reports.deleteOldRetryKeys(before, 100), 2);
        assert.equal(await store.reports.deleteOldRetryKeys(before, 100), 0);
        assert.equal(await create('4', '2001-01-02T00:01:00.000Z'), 'replayed');
      });
    });

    describe('submissions', () => {
      const add = async (accountId: string, createdAt: string) => {
        const id = randomUUID();
        await store.submissions.add({
          id,
          accountId,
          createdAt: new Date(createdAt),
          body: `{"id":"${id}"}`,
        });
        return id;
      };

      it('are found by their account alone', async () => {
        const [one, other] = [await account(), await account()];
        const id = await add(one.id, '2026-08-26T10:00:00.000Z');
        assert.equal(await store.submissions.find(id, one.id), `{"id":"${id}"}`);
        assert.equal(await store.submissions.find(id, other.id), undefined);
        assert.equal(await store.submissions.find(randomUUID(), one.id), undefined);
      });

      it('are deleted in slices when they are old', async () => {
        const { id: owner } = await account();
        const old = [];
        for (const second of [1, 2, 3]) old.push(await add(owner, `2001-01-01T00:00:0${second}Z`));
        const before = new Date('2001-01-01T00:00:03.000Z');
        assert.equal(await store.submissions.deleteOld(before, 1), 1);
        assert.equal(await store.submissions.deleteOld(before, 100), 1);
        assert.equal(await store.submissions.deleteOld(before, 100), 0);
        const found = await Promise.all(old.map((id) => store.submissions.find(id, owner)));
        assert.deepEqual(found, [undefined, undefined, `{"id":"${old[2]}"}`]);
      });

      it('are counted by their bytes, until they are deleted', async () => {
        const [{ id: one }, { id: other }] = [await account(), await account()];
        assert.equal(await store.submissions.bytesOf(one), 0);
        const ids = await Promise.all([1, 2, 3].map(() => add(one, '2000-01-01T00:00:00.000Z')));
        const bytes = `{"id":"${ids[0]}"}`.length;
        const createdAt = new Date('2026-08-26T10:00:00.000Z');
        const last = { id: randomUUID(), accountId: one, createdAt, body: '{"id":"é"}' };
        await store.submissions.add(last);
        assert.equal(await store.submissions.bytesOf(one), 3 * bytes + 11);
        assert.equal(await store.submissions.bytesOf(other), 0);
        const before = new Date('2000-01-02T00:00:00.000Z');
        // Two nodes may delete the same ones at the same time.
        await Promise.all([1, 2].map(() => store.submissions.deleteOld(before, 100)));
        assert.equal(await store.submissions.bytesOf(one), 11);
      });
    });

    describe('lookups', () => {
      it('allows five units to be spent exactly five times, even concurrently', async () => {
        const { id } = await account({ quota: { limit: 5, period: 'day' } });
        const answers = await Promise.all(Array.from({ length: 20 }, () => lookUp(id, hex(32))));
        const served = answers
          .filter((answer) => answer.served)
          .map(({ quota }) => quota.remaining);
        assert.deepEqual(served.sort(), [0, 1, 2, 3, 4]);
        assert.ok(answers.every(({ served, quota }) => served || quota.remaining === 0));
      });

      it('charges each account of a batch for its own lookups', async () => {
        const [rich, poor] = [
          await account(),
          await account({ quota: { limit: 1, period: 'none' } }),
        ];
        const calls = [poor, rich, poor, rich].map(({ id }) => lookUp(id, hex(32)));
        const answers = await Promise.all(calls);
        assert.deepEqual(
          answers.map(({ served }) => served),
          [true, true, false, true],
        );
        assert.deepEqual(
          answers.map(({ quota }) => quota.remaining),
          [0, 999, 0, 998],
        );
      });

      it('finds a file by each of its hashes, and by no other', async () => {
        const { id } = await account();
        const [sample, other] = [newSample(), newSample()];
        assert.deepEqual(await store.samples.putAll([sample, other], NOW), ['added', 'added']);
        for (const hash of [
          sample.sha256,
          sample.sha512,
          sample.blake3,
          sample.sha256.toUpperCase(),
        ]) {
          assert.equal((await lookUp(id, hash)).body, testForms.analysis(sample));
        }
        assert.equal((await lookUp(id, hex(32))).body, undefined);
        assert.equal((await lookUp(id, hex(64))).body, undefined);
      });

      it('tries a text of 64 digits as SHA-256 before BLAKE3', async () => {
        const { id } = await account();
        const shared = hex(32);
        const [bySha256, byBlake3] = [newSample({ sha256: shared }), newSample({ blake3: shared })];
        await store.samples.putAll([byBlake3, bySha256], NOW);
        assert.equal((await lookUp(id, shared)).body, testForms.analysis(bySha256));
      });

      it('distinguishes files whose hashes share a prefix', async () => {
        const { id } = await account();
        const alike = hex(8);
        const samples = Array.from({ length: 4 }, () =>
          newSample({ sha256: alike + hex(24), blake3: alike + hex(24), sha512: alike + hex(56) }),
        );
        await store.samples.putAll(samples, NOW);
        for (const sample of samples) {
          for (const hash of [sample.sha256, sample.sha512, sample.blake3]) {
            assert.equal((await lookUp(id, hash)).body, testForms.analysis(sample));
          }
        }
        assert.equal((await lookUp(id, alike + hex(24))).body, undefined);
      });

      it('starts again when the window of the account has ended', async () => {
        const day = await account({ quota: { limit: 1, period: 'day' } });
        const month = await account({ quota: { limit: 1, period: 'month' } });
        const prepaid = await account({ quota: { limit: 1, period: 'none' } });
        const servedAt = async (time: string) =>
          Promise.all(
            [day, month, prepaid].map(
              async ({ id }) => (await lookUp(id, hex(32), new Date(time))).served,
            ),
          );
        assert.deepEqual(await servedAt('2026-08-30T23:59:59.999Z'), [true, true, true]);
        assert.deepEqual(await servedAt('2026-08-30T23:59:59.999Z'), [false, false, false]);
        assert.deepEqual(await servedAt('2026-08-31T00:00:00.000Z'), [true, false, false]);
        assert.deepEqual(await servedAt('2026-09-01T00:00:00.000Z'), [true, true, false]);
      });

      it('refills nothing when a clock is set back, or that of another node is behind', async () => {
        const { id } = await account({ quota: { limit: 2, period: 'day' } });
        const servedAt = async (time: string) => (await lookUp(id, hex(32), new Date(time))).served;
        assert.equal(await servedAt('2026-08-26T23:59:59.999Z'), true);
        assert.equal(await servedAt('2026-08-27T00:00:00.000Z'), true);
        assert.equal(await servedAt('2026-08-26T23:59:59.999Z'), true);
        assert.equal(await servedAt('2026-08-27T00:00:00.001Z'), false);
        assert.equal(await servedAt('2026-08-26T23:59:59.999Z'), false);
        assert.equal(await servedAt('2026-08-28T00:00:00.000Z'), true);
      });

      it('leaves a window that a wrong clock has opened, without refilling it', async () => {
        for (const period of ['day', 'month'] as const)
          for (const spentAhead of [1, 2]) {
            const { id } = await account({ quota: { limit: 2, period } });
            const served = async (time: string, times: number) => {
              const answers: boolean[] = [];
              for (let turn = 0; turn < times; turn += 1)
                answers.push((await lookUp(id, hex(32), new Date(time))).served);
              return answers.filter(Boolean).length;
            };
            assert.equal(await served('2027-08-26T12:00:00Z', spentAhead), spentAhead);
            assert.equal(await served('2026-08-26T12:00:00Z', 3), 2 - spentAhead);
            assert.equal(await served('2026-08-26T13:00:00Z', 3), 0);
            assert.equal(await served('2026-09-01T00:00:00Z', 3), 2);
          }
      });

      it('starts with nothing used when the period is changed', async () => {
        const { id } = await account({ quota: { limit: 1, period: 'day' } });
        const served = async () => (await lookUp(id, hex(32))).served;
        assert.deepEqual([await served(), await served()], [true, false]);
        for (const period of ['month', 'none', 'day'] as const) {
          await store.accounts.change(id, { quota: { limit: 1, period } }, audit);
          assert.equal((await store.accounts.find(id, NOW))?.quota.remaining, 1);
          assert.deepEqual([await served(), await served()], [true, false]);
        }
      });

      it('spends topped-up units last and keeps them over the end of the window', async () => {
        const { id } = await account({ quota: { limit: 2, period: 'day' } });
        await store.accounts.change(id, { topUp: 3 }, audit);
        const remaining = async (time: string) =>
          (await lookUp(id, hex(32), new Date(time))).quota.remaining;
        assert.equal(await remaining('2026-08-26T10:00:00Z'), 4);
        assert.equal(await remaining('2026-08-26T10:00:00Z'), 3);
        assert.equal(await remaining('2026-08-26T10:00:00Z'), 2);
        assert.equal(
          await remaining('2026-08-27T10:00:00Z'),
          3,
          'a new day: two of its own, two topped up, one taken',
        );
      });

      it('serves a batch that spends units of the window and topped-up ones, exactly', async () => {
        const { id } = await account({ quota: { limit: 5, period: 'day' } });
        await store.accounts.change(id, { topUp: 3 }, audit);
        const answers = await Promise.all(Array.from({ length: 7 }, () => lookUp(id, hex(32))));
        assert.deepEqual(
          answers.map(({ quota }) => quota.remaining),
          [7, 6, 5, 4, 3, 2, 1],
        );
        const last = await Promise.all(Array.from({ length: 3 }, () => lookUp(id, hex(32))));
        assert.deepEqual(
          last.map(({ served }) => served),
          [true, false, false],
        );
      });

      it('never goes below zero when the limit is lowered below the used units', async () => {
        const { id } = await account({ quota: { limit: 10, period: 'day' } });
        await Promise.all(Array.from({ length: 6 }, () => lookUp(id, hex(32))));
        await store.accounts.change(id, { quota: { limit: 3, period: 'day' }, topUp: 1 }, audit);
        const answers = [await lookUp(id, hex(32)), await lookUp(id, hex(32))];
        assert.deepEqual(
          answers.map(({ served, quota }) => [served, quota.remaining]),
          [
            [true, 0],
            [false, 0],
          ],
        );
      });

      it('counts for an account without a limit, and always serves it', async () => {
        const { id } = await account({ quota: { limit: null, period: 'month' } });
        const answers = await Promise.all(Array.from({ length: 3 }, () => lookUp(id, hex(32))));
        assert.ok(answers.every(({ served, quota }) => served && quota.remaining === null));
        await store.accounts.change(id, { quota: { limit: 10, period: 'month' } }, audit);
        assert.equal((await store.accounts.find(id, NOW))?.quota.remaining, 7);
      });
    });

    describe('samples', () => {
      it('returns the outcome of each', async () => {
        const sample = newSample();
        const newer = { ...sample, fileName: 'newer' };
        assert.deepEqual(await store.samples.putAll([sample, sample, newer], NOW), [
          'added',
          'unchanged',
          'replaced',
        ]);
      });

      it('refuses a file with a hash of another file, of any kind, and changes nothing', async () => {
        const { id } = await account();
        const sample = newSample();
        await store.samples.putAll([sample], NOW);
        for (const kind of ['sha256', 'sha512', 'blake3'] as const) {
          const impostor = newSample({ [kind]: sample[kind] });
          assert.deepEqual(await store.samples.putAll([impostor], NOW), ['conflict']);
        }
        assert.equal((await lookUp(id, sample.sha256)).body, testForms.analysis(sample));
      });

      it('names the reports of a file when its analysis arrives, as a change of their feeds', async () => {
        const [slug, reporter] = [await service(), await account()];
        const sample = newSample();
        const [named, other] = [
          newReport(slug, reporter, { sha256: sample.sha256 }),
          newReport(slug, reporter),
        ];
        await store.reports.create(named);
        await store.reports.create(other);
        await store.samples.putAll([sample], NOW);
        await store.samples.putAll([{ ...sample, fileName: 'newer' }], NOW);
        const found = await store.reports.find(slug, named.id);
        assert.deepEqual([found?.name, found?.sequence], ['LANTERN', 3]);
        assert.equal(await store.reports.fetch(slug, named.id), found && testForms.report(found));
        assert.equal((await store.reports.find(slug, other.id))?.sequence, 2);
        const late = newReport(slug, reporter, { sha256: sample.sha256 });
        await store.reports.create(late);
        assert.equal((await store.reports.find(slug, late.id))?.name, 'LANTERN');
      });

      it('does not store a file again that an operator removed', async () => {
        const { id } = await account();
        const sample = newSample();
        await store.samples.putAll([sample], NOW);
        assert.equal(await store.samples.purge(sample.sha256, 'law', audit), 'deleted');
        assert.equal(await store.samples.purge(sample.sha256, 'law', audit), 'absent');
        for (const hash of [sample.sha256, sample.sha512, sample.blake3]) {
          assert.equal((await lookUp(id, hash)).body, undefined);
        }
        assert.deepEqual(await store.samples.putAll([sample], NOW), ['removed']);
      });
    });

    describe('accounts, services and tokens', () => {
      it('finds a credential by its digest, with everything that decides whether it is valid', async () => {
        const slug = await service();
        const token = newToken({ expiresAt: new Date('2026-09-02T00:00:00.000Z') });
        const made = newAccount({
          services: [slug],
          expiresAt: new Date('2026-09-01T00:00:00.000Z'),
        });
        await store.accounts.add(made, token, audit);
        const credential = await store.access.findCredential(token.digest);
        assert.deepEqual(credential?.caller, {
          accountId: made.id,
          name: made.name,
          roles: ['researcher'],
          services: [slug],
          tokenId: token.id,
        });
        assert.deepEqual(credential?.expiresAt, made.expiresAt, 'the earlier of the two');
        assert.equal(await store.access.findCredential(randomBytes(32)), undefined);
      });

      it('shows every change of a credential at the next call', async () => {
        const [token, slug] = [newToken(), await service()];
        const made = newAccount();
        await store.accounts.add(made, token, audit);
        const credential = () => store.access.findCredential(token.digest);
        assert.deepEqual((await credential())?.caller.services, []);
        await store.accounts.change(made.id, { services: [slug], roles: ['admin'] }, audit);
        assert.deepEqual((await credential())?.caller.services, [slug, 'unclaimed'].sort());
        assert.deepEqual((await credential())?.caller.roles, ['admin']);
        await store.accounts.change(made.id, { roles: ['researcher'] }, audit);
        assert.deepEqual((await credential())?.caller.services, [slug]);
        await store.accounts.change(made.id, { roles: ['notices'], services: [] }, audit);
        assert.deepEqual((await credential())?.caller.services, ['unclaimed']);
        const given = { roles: [], services: ['unclaimed'] };
        assert.equal(await store.accounts.change(made.id, given, audit), 'needs-role');
        assert.deepEqual((await credential())?.caller.services, ['unclaimed']);
        await store.accounts.change(made.id, { disabled: true }, audit);
        assert.equal((await credential())?.disabled, true);
        await store.accounts.change(made.id, { disabled: false, expiresAt: NOW }, audit);
        assert.deepEqual((await credential())?.expiresAt, NOW);
        await store.accounts.change(made.id, { expiresAt: null }, audit);
        assert.equal((await credential())?.expiresAt, undefined);
        await store.tokens.revoke(token.id, undefined, audit);
        assert.equal((await credential())?.revoked, true);
      });

      it('refuses a second account or service of the same name, and services that do not exist', async () => {
        const made = await account();
        assert.deepEqual(
          await store.accounts.add(newAccount({ name: made.name }), newToken(), audit),
          { takenBy: made.name },
        );
        assert.equal(
          await store.accounts.add(newAccount({ services: ['nowhere'] }), newToken(), audit),
          'unknown-service',
        );
        assert.equal(
          await store.accounts.change(made.id, { services: ['nowhere'] }, audit),
          'unknown-service',
        );
        assert.equal(await store.accounts.change('nobody', {}, audit), 'absent');
        assert.equal(await store.accounts.addFirst(newAccount(), newToken(), audit), false);
      });

      it('fixes the scale of a service with its first report', async () => {
        const [slug, reporter] = [await service(), await account()];
        assert.equal(await store.services.change('nowhere', {}, audit), 'absent');
        const changed = await store.services.change(slug, { confidenceScale: 10 }, audit);
        assert.equal(typeof changed === 'object' && changed.confidenceScale, 10);
        assert.equal((await store.access.findService(slug))?.confidenceScale, 10);
        await store.reports.create(newReport(slug, reporter));
        assert.equal(
          await store.services.change(slug, { confidenceScale: 100 }, audit),
          'scale-fixed',
        );
        const renamed = await store.services.change(
          slug,
          { name: 'Other', hosts: ['*.x.example'] },
          audit,
        );
        assert.deepEqual(typeof renamed === 'object' && [renamed.name, renamed.hosts], [
          'Other',
          ['*.x.example'],
        ]);
      });

      it('revokes a token only for its own account, if one is given', async () => {
        const [owner, other, token] = [
          await account(),
          await account(),
          newToken({ label: 'laptop' }),
        ];
        await store.tokens.issue(owner.id, token, audit);
        assert.equal(await store.tokens.revoke(token.id, other.id, audit), 'absent');
        const revoked = await store.tokens.revoke(token.id, owner.id, audit);
        assert.deepEqual(typeof revoked === 'object' && revoked.revokedAt, NOW);
        const again = await store.tokens.revoke(token.id, undefined, { ...audit, at: new Date(0) });
        assert.deepEqual(
          typeof again === 'object' && again.revokedAt,
          NOW,
          'the first time counts',
        );
        assert.equal(await store.tokens.issue('nobody', newToken(), audit), 'unknown-account');
      });

      it('records when a token was used', async () => {
        const [owner, token] = [await account(), newToken({ label: 'laptop' })];
        await store.tokens.issue(owner.id, token, audit);
        await store.tokens.touch(new Map([[token.id, NOW]]));
        const listed = (await store.tokens.list(owner.id, { after: undefined, limit: 10 })).find(
          ({ id }) => id === token.id,
        );
        assert.deepEqual([listed?.label, listed?.lastUsedAt], ['laptop', NOW]);
        assert.deepEqual(await store.tokens.find(token.id), listed);
        assert.equal(await store.tokens.find('nothing'), undefined);
      });

      it('writes every administrative action to the audit log, newest first', async () => {
        const made = await account();
        await store.accounts.change(made.id, { topUp: 5 }, audit);
        const [newest, older] = (await store.audit.list({ limit: 2 })).entries;
        assert.deepEqual(
          [newest?.action, newest?.subject, newest?.actor, newest?.at, newest?.detail],
          ['account.change', made.name, 'contract', NOW, { topUp: 5 }],
        );
        assert.equal(older?.action, 'account.add');
        const next = await store.audit.list({ limit: 1, before: newest?.id });
        assert.deepEqual(next.entries, [older]);
      });

      it('filters the audit log by actor, action and subject', async () => {
        const actor = `actor ${randomUUID()}`;
        const write = (action: string, subject: string) =>
          store.audit.write(action, subject, {}, { actor, at: NOW });
        await write('account.add', 'alice');
        await write('accounts', 'alice');
        await write('account.change', 'bob');
        await write('token.issue', 'bob');
        const subjects = async (filter: object) =>
          (await store.audit.list({ limit: 10, actor, ...filter })).entries.map(
            ({ action, subject }) => `${action} ${subject}`,
          );
        assert.deepEqual(await subjects({ action: 'account' }), [
          'account.change bob',
          'account.add alice',
        ]);
        assert.deepEqual(await subjects({ action: 'account.add' }), ['account.add alice']);
        assert.deepEqual(await subjects({ subject: 'bob', action: 'token' }), ['token.issue bob']);
        assert.deepEqual(await subjects({ subject: 'nobody' }), []);
        const first = await store.audit.list({ limit: 3, actor });
        assert.equal(first.nextBefore, first.entries.at(-1)?.id);
        const rest = await store.audit.list({ limit: 3, actor, before: first.nextBefore });
        assert.deepEqual(
          rest.entries.map(({ action }) => action),
          ['account.add'],
        );
        assert.equal(rest.nextBefore, undefined);
      });

      it('reads a bounded part of the audit log for a filter, and says where it stopped', async () => {
        const actor = `actor ${randomUUID()}`;
        const other = { actor: 'other', at: NOW };
        await store.audit.write('account.add', 'old', {}, { actor, at: NOW });
        for (let written = 0; written < 2000; written += 100)
          await Promise.all(
            Array.from({ length: 100 }, () => store.audit.write('account.add', 'x', {}, other)),
          );
        const first = await store.audit.list({ limit: 10, actor });
        assert.deepEqual(first.entries, []);
        const next = await store.audit.list({ limit: 10, actor, before: first.nextBefore });
        assert.deepEqual(
          next.entries.map(({ subject }) => subject),
          ['old'],
        );
      });
    });
  });
}
