import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { DemoCounts, DemoReport } from '../../src/cli/demo/history.ts';
import { demoSummary } from '../../src/cli/demo/summary.ts';
import { readUploads } from '../../src/cli/demo/uploads.ts';
import type { Usage } from '../../src/client/wire.ts';
import { readConfig } from '../../src/config.ts';
import { isToken } from '../../src/domain/accounts/token.ts';
import type { WireAnalysis } from '../builders.ts';
import { TestInstallation } from '../installation.ts';
import { until } from '../until.ts';
import { ExampleRunner } from './demo-examples.ts';
import { CommandExamples } from './help/command-examples.ts';

const DEMO = new URL('../../demo/', import.meta.url);

interface DemoResult extends DemoCounts {
  readonly links: readonly { role: string; account: string; link: string }[];
  readonly reports: readonly DemoReport[];
  readonly shown: DemoReport;
  readonly accounts: readonly { name: string; token: string; who: string }[];
  readonly adminTokenFile: string;
}

interface WireReport {
  readonly name: string;
  readonly c2Address: string;
  readonly reportedAt: string;
  readonly firstSeenID: string;
}

function readSamples(): readonly WireAnalysis[] {
  const lines = readFileSync(new URL('samples.ndjson', DEMO), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('demo', () => {
  let installation: TestInstallation;
  let made: DemoResult;
  let url: string;
  before(async () => {
    installation = new TestInstallation();
    made = await installation.json('demo');
    url = await installation.serve();
  });
  after(() => installation.close());

  const tokenOf = (name: string) =>
    made.accounts.find((account) => account.name === name)?.token ?? '';
  const get = async (path: string, token: string) => {
    const answer = await fetch(url + path, { headers: { authorization: token } });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const feedOf = (service: string) =>
    Promise.all(
      made.reports
        .filter((report) => report.service === service)
        .map(async ({ id }): Promise<WireReport> => {
          const { status, body } = await get(`/feed/${service}/api?report=${id}`, tokenOf('alice'));
          assert.equal(status, 200);
          return body.report;
        }),
    );

  it('fills a new store with services, accounts, reports, deletions and samples', () => {
    assert.equal(made.services, 6);
    assert.ok(made.samples > 100, `${made.samples} imported analyses`);
    assert.equal(made.uploads, 51);
    assert.equal(made.deletions, 4);
    assert.ok(made.reports.length > 300, `${made.reports.length} reports`);
    assert.ok(made.deliveries > 20, `${made.deliveries} deliveries`);
    assert.ok(made.accounts.every(({ token }) => isToken(token)));
  });

  it('names reports after the analysis, including earlier reports', async () => {
    const feed = await feedOf('ply');
    const lantern = feed.filter(({ c2Address }) => c2Address === 'night.ply.example:4444');
    assert.deepEqual(
      lantern.map(({ name }) => name),
      ['LANTERN', 'LANTERN', 'LANTERN', 'LANTERN', 'LANTERN'],
    );
    assert.equal(new Set(lantern.map(({ firstSeenID }) => firstSeenID)).size, 1);
    assert.ok(feed.some(({ name }) => name === 'DRIFTWOOD'));
    assert.ok(feed.some(({ name }) => name === 'unknown'));
  });

  it('spreads the reports over the last weeks', async () => {
    const times = (await feedOf('cask')).map(({ reportedAt }) => Date.parse(`${reportedAt}Z`));
    const days = (Math.max(...times) - Math.min(...times)) / 86_400_000;
    assert.ok(days > 25 && days < 43, `${days} days`);
    assert.ok(Math.max(...times) < Date.now());
  });

  it('uses only hosts and networks that are reserved for examples', async () => {
    const reserved =
      /^(?:[a-z0-9-]+\.)+example(?:\.invalid)?:|^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+:|^\[2001:db8:/;
    for (const service of new Set(made.reports.map((report) => report.service))) {
      for (const { c2Address } of await feedOf(service)) assert.match(c2Address, reserved);
    }
  });

  it('adds files that can be looked up by each of three hashes', async () => {
    const token = tokenOf('chiyo');
    for (const sample of readSamples()) {
      for (const hash of [sample.sha256Hash, sample.blake3Hash, sample.sha512Hash]) {
        assert.deepEqual(await get(`/private/sample/${hash}`, token), {
          status: 200,
          body: sample,
        });
      }
    }
  });

  it('has reports in every status, confirmed ones, recurrences and corroboration', async () => {
    const { body } = await get('/feed/all/reports?limit=1000', tokenOf('alice'));
    const statuses = new Set<string>();
    for (const status of ['open', 'acknowledged', 'actioned', 'rejected', 'expired']) {
      const list = `/feed/all/reports?status=${status}&limit=5`;
      let { body: page } = await get(list, tokenOf('alice'));
      // A page on a busy machine may end before it has found a report.
      while (page.reports.length === 0 && page.hasMore)
        page = (await get(`${list}&cursor=${page.nextCursor}`, tokenOf('alice'))).body;
      if (page.reports.length > 0) statuses.add(status);
    }
    assert.equal(statuses.size, 5, [...statuses].join());
    const { reports } = body as { readonly reports: readonly Record<string, unknown>[] };
    assert.ok(reports.some(({ recurrence }) => recurrence === true));
    assert.ok(reports.some(({ corroboration }) => Number(corroboration) > 1));
    const families = new Set(reports.map(({ name }) => name));
    for (const family of ['ASYNCRAT', 'XWORM', 'REMCOS', 'MIRAI', 'COBALTSTRIKE'])
      assert.ok(families.has(family), family);
  });

  it('analyses the uploaded files, except two whose analysis fails', async () => {
    const files = readUploads(DEMO);
    const states = await Promise.all(
      files.map(async ({ sha256 }) => {
        const { body } = await get(`/private/sample/${sha256}/status`, tokenOf('alice'));
        return body.status;
      }),
    );
    assert.equal(states.filter((state) => state === 'failed').length, 2, states.join());
    assert.equal(states.filter((state) => state === 'done').length, 48, states.join());
  });

  it('has reports that the settings of the uploaded files confirm or contradict', async () => {
    const named = readUploads(DEMO).filter(({ c2s }) => c2s.length > 0);
    const c2sOf = new Map(named.map(({ sha256, c2s }) => [sha256, c2s]));
    const found = { confirmed: 0, contradicted: 0, unknown: 0 };
    for (const { service, id, sha256 } of made.reports) {
      const c2s = c2sOf.get(sha256);
      if (c2s === undefined) continue;
      const { body } = await get(`/feed/${service}/reports/${id}`, tokenOf('alice'));
      const { confirmation, c2Address } = body.report ?? body;
      found[confirmation as keyof typeof found] += 1;
      assert.equal(confirmation === 'confirmed', c2s.includes(c2Address), c2Address);
    }
    assert.ok(found.confirmed > 30 && found.contradicted > 0, JSON.stringify(found));
    // A wrong address where the settings have only names, or the reverse, is not contradicted.
    assert.ok(found.unknown < 10, JSON.stringify(found));
  });

  it('has proposals in every state, and open reports that a desk should doubt', async () => {
    const token = tokenOf('alice');
    for (const state of ['open', 'reported', 'dismissed']) {
      const { body } = await get(`/api/proposals?state=${state}`, token);
      assert.ok(body.proposals.length > 0, state);
    }
    const doubts = ['ply/reports?confirmation=contradicted', 'hopper/reports?misrouted=true'];
    for (const path of doubts) {
      const { body } = await get(`/feed/${path}&status=open`, token);
      assert.ok(body.reports.length > 0, path);
    }
  });

  it('has figures of reporters and services', async () => {
    const { body: reporter } = await get('/api/statistics/reporters/tarpit', tokenOf('alice'));
    assert.ok(reporter.precision.right > 0 && reporter.precision.wrong > 0);
    assert.ok(reporter.totals.contradicted > 0);
    const { body: service } = await get('/api/statistics/services/ply', tokenOf('alice'));
    assert.ok(service.recurrences.total > 0 && service.timeToAct.count > 0);
    const { body: usage } = await get('/api/usage', tokenOf('alice'));
    const entries = (usage as Usage).days.flatMap((day) => day.entries);
    assert.deepEqual([...new Set(entries.map(({ operation }) => operation))].sort(), [
      'batch',
      'lookup',
      'similar',
    ]);
  });

  it('has a link for each role that signs in', async () => {
    assert.deepEqual(
      made.links.map(({ role }) => role),
      ['researcher', 'abuse desk', 'analyst', 'operator'],
    );
    for (const { account, link } of made.links) {
      const answer = await fetch(`${url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-rapsheet-request': '1' },
        body: JSON.stringify({ link: link.split('#')[1] }),
      });
      const { name } = JSON.parse(await answer.text());
      assert.equal(name, account);
    }
  });

  it('creates the first account as a first start does', async () => {
    assert.equal(made.adminTokenFile, join(installation.dataDir, 'admin-token'));
    assert.equal(statSync(made.adminTokenFile).mode & 0o777, 0o600);
    const token = readFileSync(made.adminTokenFile, 'utf8').trim();
    assert.equal((await get('/admin/accounts', token)).status, 200);
  });

  it('prints tokens and calls that can be pasted', async () => {
    const { accounts, links, shown, adminTokenFile } = made;
    const reports = new Map(made.reports.map((report) => [report, report]));
    const history = { accounts, reports, counts: made };
    // Of a store whose server was not started yet, so the calls name the default port.
    const config = readConfig({ RAPSHEET_DATA_DIR: join(installation.folder, 'new') });
    const stdout = demoSummary({ history, links, shown, adminTokenFile }, config);
    const [, path] = /:8080(\/private\/sample\/\S+)/.exec(stdout) ?? [];
    const [, token = ''] = /TOKEN=(\S+)/.exec(stdout) ?? [];
    assert.equal((await get(path ?? '', token)).status, 200);
    assert.match(stdout, /alice {2,}rap_\S{38} {2,}researcher/);
    assert.match(stdout, /echo rap_\S{38} \| rapsheet login --url http:\S+ --token-file -\n/);
    assert.match(stdout, /TOKEN=rap_\S{38}\n/);
    assert.match(
      stdout,
      /curl -sw '\\n' "http:\/\/127\.0\.0\.1:8080\/feed\/ply\/api\?report=[0-9a-f-]{36}"/,
    );
  });

  it('refuses a store that is in use, and changes nothing in it', async () => {
    const before = await installation.json('audit', 'list');
    const { code, stderr } = await installation.run(['demo']);
    assert.equal(code, 1);
    assert.match(stderr, /is already in use/);
    assert.deepEqual(await installation.json('audit', 'list'), before);
  });

  it('lets the examples of the commands succeed', async () => {
    const examples = new CommandExamples(installation, url, tokenOf('explorer'));
    assert.deepEqual(await examples.runAll(), []);
  });

  it('lets a report be purged by its id, once', async () => {
    const id = made.reports.find(({ service }) => service === 'mailwright')?.id ?? '';
    const purge = ['report', 'remove', '--store', id, '--reason', 'asked for by its subject'];
    assert.equal((await installation.json(...purge)).message, `Report ${id} was removed.`);
    assert.equal((await get(`/feed/mailwright/api?report=${id}`, tokenOf('alice'))).status, 404);
    assert.equal((await installation.run(purge)).code, 3);
  });

  it('lets every example of the OpenAPI document succeed with one token', async () => {
    // Only one run at a time, and an example of the commands has started one.
    const run = () => get('/admin/reanalysis', installation.adminToken);
    await until(async () => (await run()).body.state !== 'running', 'all files are queued');
    const examples = new ExampleRunner(url, tokenOf('explorer'));
    assert.deepEqual(await examples.runAll(), []);
  });
});

describe('demo samples', () => {
  it('have the hashes and sizes of the files in their folder', () => {
    const samples = new Map(readSamples().map((sample) => [sample.fileName, sample]));
    for (const name of readdirSync(new URL('files/', DEMO))) {
      const bytes = readFileSync(new URL(`files/${name}`, DEMO));
      const digest = (kind: string) => createHash(kind).update(bytes).digest('hex');
      const sample = samples.get(name);
      assert.equal(sample?.sizeInBytes, bytes.length);
      assert.equal(sample.mD5Hash, digest('md5'));
      assert.equal(sample.sha1Hash, digest('sha1'));
      assert.equal(sample.sha256Hash, digest('sha256'));
      assert.equal(sample.sha512Hash, digest('sha512'));
    }
  });
});
