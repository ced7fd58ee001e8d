import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isToken } from '../../src/domain/accounts/token.ts';
import type { WireAnalysis } from '../builders.ts';
import { TestInstallation } from '../installation.ts';

const DEMO = new URL('../../demo/', import.meta.url);

interface DemoResult {
  readonly services: number;
  readonly samples: number;
  readonly deletions: number;
  readonly reports: readonly { id: string; service: string; sha256: string }[];
  readonly accounts: readonly { name: string; token: string }[];
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
    assert.equal(made.services, 3);
    assert.equal(made.samples, 12);
    assert.equal(made.deletions, 4);
    assert.equal(made.reports.length + made.deletions, 40);
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
    assert.ok(days > 20 && days < 30);
    assert.ok(Math.max(...times) < Date.now());
  });

  it('uses only hosts and networks that are reserved for examples', async () => {
    const reserved =
      /^(?:[a-z0-9-]+\.)+example(?:\.invalid)?:|^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+:|^\[2001:db8:/;
    for (const service of ['ply', 'cask', 'mailwright']) {
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

  it('creates the first account as a first start does', async () => {
    assert.equal(made.adminTokenFile, join(installation.dataDir, 'admin-token'));
    assert.equal(statSync(made.adminTokenFile).mode & 0o777, 0o600);
    const token = readFileSync(made.adminTokenFile, 'utf8').trim();
    assert.equal((await get('/admin/accounts', token)).status, 200);
  });

  it('refuses a store that is in use, and changes nothing in it', async () => {
    const before = await installation.json('audit', 'list');
    const { code, stderr } = await installation.run(['demo']);
    assert.equal(code, 1);
    assert.match(stderr, /is already in use/);
    assert.deepEqual(await installation.json('audit', 'list'), before);
  });

  it('lets a report be purged by its id, once', async () => {
    const id = made.reports.find(({ service }) => service === 'mailwright')?.id ?? '';
    const purge = ['purge', 'report', id, '--reason', 'asked for by its subject'];
    assert.equal((await installation.json(...purge)).message, `Report ${id} was removed.`);
    assert.equal((await get(`/feed/mailwright/api?report=${id}`, tokenOf('alice'))).status, 404);
    assert.equal((await installation.run(purge)).code, 3);
  });

  it('prints tokens and calls that can be pasted', async () => {
    const other = new TestInstallation();
    const { stdout } = await other.run(['demo']);
    await other.close();
    assert.match(stdout, /alice {2,}rap_\S{38} {2,}researcher/);
    assert.match(stdout, /TOKEN=rap_\S{38}\n/);
    assert.match(
      stdout,
      /curl -sw '\\n' "http:\/\/127\.0\.0\.1:8080\/feed\/ply\/api\?report=[0-9a-f-]{36}"/,
    );
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
