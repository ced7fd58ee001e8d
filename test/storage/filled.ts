import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { MailSettings } from '../../src/domain/mail/mail-settings.ts';
import type { AnalysisReport } from '../../src/domain/samples/analysis-report.ts';
import { parseFileHash } from '../../src/domain/samples/file-hash.ts';
import type { ClaimKey } from '../../src/ports/ownership-store.ts';
import type { Store } from '../../src/ports/store.ts';
import { SEALED } from '../builders.ts';
import { DAY_MS, FeedRig, later } from './contracts/feed-rig.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newSample,
  newToken,
  newWebhook,
} from './contracts/store-contract.ts';

const DETAILS = {
  tlsh: `T1${'6D119524E6514D7D1F'.repeat(4).slice(0, 70)}`,
  evidence: [],
  indicators: [],
  facts: {},
  members: [],
  c2s: [1, 4443].map((port) => ({ host: 'evil.example', port, family: 'TEST' })),
};

/** The ids of rows in a filled store that tests use. */
export interface Filled {
  readonly services: readonly [string, string];
  /** An existing report, and a deleted one. */
  readonly reportId: string;
  readonly deletedId: string;
  /** Samples: one with details that is analysed again, one that is pending, one that failed. */
  readonly done: string;
  readonly waiting: string;
  readonly failed: string;
}

const ssdeepOf = () => {
  const letters = Buffer.from(hex(60), 'hex').toString('base64');
  return `96:${letters.slice(0, 50)}:${letters.slice(50, 75)}`;
};

const MAIL: MailSettings = { to: 'abuse@ply.example', format: 'arf', delivery: 'daily' };

/** Fills every table through the store. `reports` adds that many reports. */
export async function fillStore(store: Store, reports = 0): Promise<Filled> {
  const rig = await FeedRig.in(store);
  const [one, other] = [await rig.service(), await rig.service()];
  const owner = await rig.account(one, other);
  assert.equal(await store.webhooks.add(newWebhook(one, owner), SEALED, audit), 'added');
  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  const declared = { hosts: ['*.tunnel.example', 'evil.example'], networks };
  await store.services.change(one, declared, audit);
  await store.services.change(other, { mail: { id: randomUUID(), settings: MAIL } }, audit);
  const c2 = { host: 'evil.example', port: 4444 };
  const retry = { route: 'create', key: hex(8), fingerprint: randomBytes(32) };
  const first = await rig.create(one, { c2, tags: ['rat', 'Änderung 🦀'], retry });
  const second = await rig.create(one, {
    c2,
    reporterId: owner.id,
    reportedBy: owner.name,
    reportedAt: later(60_000),
  });
  await rig.create(other, { c2: { host: '192.0.2.7', port: 1 } });
  const { id: rejectedId } = await rig.create(other, { c2: { host: 'no.example', port: 1 } });
  await store.feeds.setStatus(
    { service: other, ids: [rejectedId], limit: 1 },
    {
      ...{ accountId: owner.id, actor: owner.name, at: later(60_000), note: undefined },
      ...{ status: 'rejected', reason: 'false_positive' },
    },
  );
  await rig.create(one);
  const gone = await rig.create(one);
  for (let made = 0; made < reports; made += 1) await rig.create(made % 2 === 0 ? one : other);
  const frequent = { c2: { host: 'tunnel.example', port: 1 }, tags: ['tunnel'] };
  await store.feeds.createMany(Array.from({ length: 101 }, () => rig.report(other, frequent)));
  await rig.set(second, 'actioned', later(120_000), owner);
  await rig.set(gone, 'actioned', later(120_000), owner);
  assert.equal(await rig.delete(gone), 'deleted');
  const samples = await addSamples(store, owner.id, first.sha256);
  await decideProposals(store, owner.id);
  const lookup = { accountId: owner.id, hash: parseFileHash(samples.done) };
  await store.samples.lookUp({ ...lookup, now: NOW });
  // On the next day the units of the first are closed.
  await store.samples.lookUp({ ...lookup, now: later(DAY_MS) });
  await proveOwnership(store, { service: one, suffix: 'tunnel.example' });
  const namespace = await store.feeds.objectNamespace();
  for (const service of [one, other])
    await store.misp.stampEvents(service, { namespace, now: NOW, limit: 1000 });
  const submission = { id: randomUUID(), accountId: owner.id, createdAt: NOW, body: '{}' };
  await store.submissions.add(submission);
  await store.feeds.storePositions(await store.feeds.heads(undefined), NOW);
  while ((await store.samples.indexSimilar(100)) > 0);
  return { services: [one, other], reportId: first.id, deletedId: gone.id, ...samples };
}

async function proveOwnership(store: Store, key: ClaimKey): Promise<void> {
  await store.ownership.token(key.service, 'a-token', NOW);
  await store.ownership.begin({ ...key, method: 'dns', now: NOW, intervalMs: 10_000 });
  const check = { method: 'dns', problem: undefined, at: NOW, chance: 0 } as const;
  assert.notEqual(
    await store.ownership.record({ ...key, check, isRequested: true }, audit),
    'absent',
  );
}

async function addSamples(store: Store, uploadedBy: string, sha256: string) {
  const upload = (
    { md5, sha1, sha256, sha512, blake3, ...rest }: AnalysisReport,
    by: string = uploadedBy,
  ) =>
    store.samples.submit({
      digests: { md5, sha1, sha256, sha512, blake3 },
      sizeBytes: rest.sizeBytes,
      fileName: rest.fileName,
      uploadedBy: by,
      uploadedAt: NOW,
    });
  const report = (members: Partial<AnalysisReport> = {}) =>
    newSample({ ssdeep: ssdeepOf(), tags: [{ heat: 3, name: 'LANTERN' }], ...members });
  const [done, waiting, failed, removed] = [report(), report(), report(), report()];
  // By the first, a report gets the name of its family.
  await store.samples.putAll([report({ sha256 }), removed], later(180_000));
  for (const one of [done, waiting, failed]) await upload(one);
  for (const one of [done, failed]) await store.samples.start(one.sha256);
  await store.samples.finish({ report: done, details: DETAILS }, later(1000));
  // The file is proposed to this account as well.
  const further = newAccount();
  await store.accounts.add(further, newToken(), audit);
  await upload(done, further.id);
  await store.samples.fail(failed.sha256, 'It broke.', later(1000));
  await store.samples.analyseAgain(done.sha256, audit);
  await store.samples.startReanalysis(later(1000), audit);
  await store.samples.stopReanalysis(audit);
  await store.samples.purge(removed.sha256, 'asked for', audit);
  return { done: done.sha256, waiting: waiting.sha256, failed: failed.sha256 };
}

/** One is reported, and one stays open. */
async function decideProposals(store: Store, accountId: string): Promise<void> {
  const all = { state: undefined, sha256: undefined, before: undefined, limit: 10 };
  const [first] = await store.proposals.list({ accountId, ...all });
  assert.ok(first);
  const { id: proposalId, service, c2, sha256, tags } = first;
  const created = await store.reports.create({
    id: randomUUID(),
    service,
    tags,
    c2,
    sha256,
    reference: 'https://research.example/',
    confidence: 90,
    reporterId: accountId,
    reportedBy: 'owner',
    reportedAt: NOW,
    retry: undefined,
    proposalId,
  });
  assert.equal(created.kind, 'created');
}
