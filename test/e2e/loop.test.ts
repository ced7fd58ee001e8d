import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RapsheetClient } from '../../src/client/client.ts';
import type { ExtendedReport, Proposal, Usage } from '../../src/client/wire.ts';
import { fixture } from '../analysis/fixture.ts';
import { TestInstallation } from '../installation.ts';
import { Receiver } from '../outgoing/receiver.ts';
import { eventually } from '../until.ts';
import { clientOf, uploadAndWait } from './server-setup.ts';

/** Its settings name the C2, an IPv4 and an IPv6 address for which no service answers. */
const SAMPLE = fixture('analysis/families/xworm-plain.exe');
const C2 = 'worm.example.invalid:7000';
/** Its settings name a host that a more specific pattern routes to another service. */
const OTHER_SAMPLE = fixture('analysis/families/xworm-nameless.exe');
const OTHER_C2 = 'three.example.invalid:7000';

/** The 95 % Wilson interval of 1 of 1. */
const LOWER_OF_ONE = 0.2065;

describe('the loop from a sample to a takedown', () => {
  const installation = new TestInstallation();
  const receiver = new Receiver(false);
  let url: string;
  let desk: RapsheetClient;

  before(async () => {
    await receiver.listen();
    ({ url } = await installation.server({
      RAPSHEET_ANALYSIS_WORKERS: '1',
      RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
      RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    }));
    await installation.json('service', 'add', 'ply', '--host', '*.example.invalid');
    await installation.json('service', 'add', 'ferry', '--host', 'three.example.invalid');
    const { token } = await installation.json('account', 'add', 'ply-abuse', '--service', 'ply');
    desk = clientOf(url, token);
    await desk.addWebhook('ply', { url: receiver.url() });
  });
  after(async () => {
    await installation.close();
    await receiver.close();
  });

  async function researcher(name: string, ...options: readonly string[]) {
    const words = ['account', 'add', name, '--researcher', ...options];
    const { token } = await installation.json(...words);
    return { token, client: clientOf(url, token) };
  }

  /** Uploads a file whose analysis proposes one report. */
  async function proposalOf(client: RapsheetClient, bytes: Uint8Array): Promise<Proposal> {
    const { sha256Hash: hash, status } = await uploadAndWait(client, blobOf(bytes), 'XClient.exe');
    assert.equal(status, 'done');
    const { proposals } = await client.listProposals({ hash });
    const [proposal] = proposals;
    assert.ok(proposal !== undefined && proposals.length === 1, JSON.stringify(proposals));
    return proposal;
  }

  /** What the webhook received about a report, in order. */
  async function deliveriesOf(id: string, count: number): Promise<readonly ExtendedReport[]> {
    const all = () =>
      receiver.received
        .map(({ body }) => JSON.parse(body))
        .filter(({ data }) => data.id === id)
        .sort((one, other) => one.sequence - other.sequence)
        .map(({ data }) => data as ExtendedReport);
    return eventually(all, (found) => found.length >= count);
  }

  it('takes down what the settings of a file name, and counts it for the reporter', async () => {
    const { client: alice } = await researcher('alice');
    const proposal = await proposalOf(alice, SAMPLE);
    assert.deepEqual(
      [proposal.state, proposal.service, proposal.c2Address, proposal.family],
      ['open', 'ply', C2, 'XWORM'],
    );
    assert.equal(proposal.confirmation, 'confirmed');
    assert.equal((await alice.reporterStatistics('alice')).precision, null);

    const { id, service } = await alice.reportProposal(proposal.id);
    assert.equal(service, 'ply');
    assert.equal((await alice.reportProposal(proposal.id)).id, id, 'a second call reports nothing');
    const [created] = await deliveriesOf(id, 1);
    assert.deepEqual(
      [created?.c2Address, created?.status, created?.confirmation, created?.misrouted],
      [C2, 'open', 'confirmed', false],
    );

    await desk.setStatus('ply', id, { status: 'actioned', reason: 'taken_down' });
    assert.equal((await deliveriesOf(id, 2)).at(-1)?.status, 'actioned');
    const { report } = await alice.showReport('ply', id);
    assert.deepEqual([report.status, report.statusReason], ['actioned', 'taken_down']);
    const { totals, precision } = await alice.reporterStatistics('alice');
    assert.deepEqual([totals.reports, totals.confirmed, totals.actioned], [1, 1, 1]);
    assert.ok(precision !== null);
    assert.deepEqual([precision.right, precision.wrong, precision.value], [1, 0, 1]);
    assert.ok(Math.abs(precision.lower - LOWER_OF_ONE) < 0.0001, String(precision.lower));
    assert.equal(precision.upper, 1);
    await showsRecurrence(await desk.serviceStatistics('ply'));
  });

  /** A C2 that was taken down is sighted again, in another build of the file. */
  async function showsRecurrence(before: Awaited<ReturnType<RapsheetClient['serviceStatistics']>>) {
    assert.equal(before.timeToAct.count, 1);
    assert.equal(before.recurrences.total, 0);
    const { client: bruno } = await researcher('bruno');
    const { id } = await bruno.reportProposal((await proposalOf(bruno, variant('bruno'))).id);
    const { report } = await bruno.showReport('ply', id);
    assert.deepEqual([report.recurrence, report.status], [true, 'open']);
    const { recurrences, backlog } = await desk.serviceStatistics('ply');
    assert.equal(recurrences.total, 1);
    assert.equal(recurrences.days.at(-1)?.count, 1);
    assert.equal(backlog.open, before.backlog.open + 1);
  }

  it('contradicts a report of a C2 that the settings of its file do not name', async () => {
    const { client } = await researcher('chiyo');
    const { sha256Hash } = await uploadAndWait(client, blobOf(variant('chiyo')), 'a.exe');
    const { id } = await client.createReport('ply', {
      c2Address: 'innocent.example.invalid:7000',
      file256Hash: sha256Hash,
    });
    assert.equal((await client.showReport('ply', id)).report.confirmation, 'contradicted');
    const { reports } = await client.listReports('ply', { confirmation: 'contradicted' });
    assert.deepEqual(
      reports.map((report) => report.id),
      [id],
    );
    const { totals, precision } = await client.reporterStatistics('chiyo');
    assert.deepEqual([totals.contradicted, precision], [1, null], 'the desk has not judged it');
    await desk.setStatus('ply', id, { status: 'rejected', reason: 'false_positive' });
    const judged = await client.reporterStatistics('chiyo');
    assert.deepEqual([judged.precision?.right, judged.precision?.wrong], [0, 1]);
  });

  it('marks a report in another feed than the one its C2 belongs to', async () => {
    const { client } = await researcher('dmitri');
    const { id } = await client.createReport('ferry', {
      c2Address: 'elsewhere.example.invalid:7000',
      file256Hash: '0'.repeat(64),
    });
    const { report } = await client.showReport('ferry', id);
    assert.deepEqual([report.misrouted, report.routedTo], [true, 'ply']);
    assert.equal((await client.serviceStatistics('ferry')).misrouted, 1);
    const { reports } = await client.listReports('ferry', { misrouted: true });
    assert.deepEqual(
      reports.map((one) => one.id),
      [id],
    );
  });

  it('confirms an earlier report when its file is analysed, and tells the webhook', async () => {
    const { client } = await researcher('emeka');
    const bytes = variant('emeka');
    const file256Hash = createHash('sha256').update(bytes).digest('hex');
    const { id } = await client.createReport('ply', { c2Address: C2, file256Hash });
    assert.equal((await deliveriesOf(id, 1))[0]?.confirmation, 'unknown');
    await uploadAndWait(client, blobOf(bytes), 'late.exe');
    const last = (await deliveriesOf(id, 2)).at(-1);
    assert.deepEqual([last?.confirmation, last?.name], ['confirmed', 'XWORM']);
  });

  it('reports from the command line in one go', async () => {
    const { token, client } = await researcher('farah');
    const path = join(installation.folder, 'DHL_label.exe');
    writeFileSync(path, OTHER_SAMPLE);
    const settings = { RAPSHEET_TOKEN: token };
    const words = ['sample', 'add', path, '--report', '--yes', '--url', url, '--json'];
    const { code, stdout, stderr } = await installation.run(words, { settings });
    assert.equal(code, 0, stderr);
    const [proposal] = JSON.parse(stdout).proposals as readonly Proposal[];
    assert.deepEqual([proposal?.service, proposal?.c2Address], ['ferry', OTHER_C2]);
    const { report } = await client.showReport('ferry', proposal?.report?.id ?? '');
    assert.deepEqual(
      [report.reportedBy, report.confirmation, report.misrouted],
      ['farah', 'confirmed', false],
    );
  });

  it('itemises what lookups took from the balance', async () => {
    const { client } = await researcher('gita', '--quota', '20', '--period', 'none');
    const { sha256Hash } = await uploadAndWait(client, blobOf(SAMPLE), 'XClient.exe');
    await client.lookUp(sha256Hash);
    await assert.rejects(client.lookUp('f'.repeat(64)));
    await client.lookUpMany([sha256Hash, 'e'.repeat(64), 'd'.repeat(64)]);
    await client.similar(sha256Hash);
    assert.equal((await client.balance()).requests_left, 20 - 6);
    const usage = await client.usage();
    assert.equal(sumOf(usage.days), 6);
    const entries = usage.days.flatMap((day) => day.entries);
    assert.equal(sumOf(entries), 6);
    assert.deepEqual(
      Object.fromEntries(entries.map(({ operation, units }) => [operation, units])),
      {
        lookup: 2,
        batch: 3,
        similar: 1,
      },
    );
  });

  it('leaves a store in which the doctor finds nothing wrong', async () => {
    const { ok, checks } = await installation.json('doctor');
    assert.ok(ok, JSON.stringify(checks));
  });
});

function blobOf(bytes: Uint8Array): Blob {
  return new Blob([new Uint8Array(bytes)]);
}

/** Another build of the sample: the same settings, another hash. */
function variant(name: string): Uint8Array {
  return Buffer.concat([SAMPLE, Buffer.from(name)]);
}

function sumOf(rows: readonly Usage['days'][number]['entries'][number][] | Usage['days']): number {
  return rows.reduce((sum, { units }) => sum + units, 0);
}
