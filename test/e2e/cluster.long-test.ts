import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { RapsheetError } from '../../src/client/error.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { eventually } from '../until.ts';
import { Cluster } from './cluster/cluster.ts';
import { TestClient } from './followers/test-client.ts';
import { countLookups } from './lookups.ts';

describe('three nodes and two workers on one PostgreSQL', () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let token = '';
  before(async () => {
    database = await newDatabase();
    cluster = new Cluster(database.url);
    await cluster.start({ nodes: 3, workers: 2 });
    const admin = cluster.client(0);
    for (const slug of ['ply', 'raft']) await admin.addService({ slug });
    ({ token } = await admin.addAccount({ name: 'alice', roles: ['researcher'] }));
  });
  after(async () => {
    await cluster.close();
    await database.drop();
  });

  const report = (number: number) => ({
    c2Address: `host${number}.example:${1 + number}`,
    file256Hash: randomBytes(32).toString('hex'),
  });

  it('creates one admin account although all nodes start at once', async () => {
    const { accounts } = await cluster.client(1).listAccounts();
    assert.equal(accounts.filter(({ name }) => name === 'admin').length, 1);
  });

  it('serves exactly the last 100 units to 500 concurrent lookups over all nodes', async () => {
    const quota = { limit: 100, period: 'none' as const };
    const { token, account } = await cluster.client(2).addAccount({ name: 'hundred', quota });
    const counts = await countLookups(cluster.urls, token, 500);
    assert.deepEqual(counts, { 404: 100, 429: 400 });
    const [row] = await database.run('select quota_used from account where id = $1', [account.id]);
    assert.equal(Number(row?.['quota_used']), 100);
  });

  it('numbers creates on all nodes in one sequence without gaps', async () => {
    const nodes = [0, 1, 2].map((node) => cluster.client(node, token));
    const made = await Promise.all(
      Array.from({ length: 300 }, (_, number) =>
        nodes[number % 3]?.createReport('ply', report(number)),
      ),
    );
    const { changes } = await cluster.client(1, token).feedChanges('ply', { limit: 1000 });
    assert.deepEqual(
      changes.map(({ sequence }) => sequence),
      Array.from({ length: 300 }, (_, number) => number + 1),
    );
    assert.deepEqual(
      new Set(changes.map(({ id }) => id)),
      new Set(made.map((answer) => answer?.id)),
    );
  });

  it('sends the changes of one node on the stream of another', async () => {
    const reader = new TestClient(token);
    reader.url = cluster.urls[0] ?? '';
    const reading = new AbortController();
    const events = reader.events('/feed/raft/stream?since=0', undefined, reading.signal);
    const nextId = async () => JSON.parse((await events.next()).value.data).id;
    const first = await cluster.client(1, token).createReport('raft', report(1));
    assert.equal(await nextId(), first.id);
    // The stream is open and idle now.
    const [seen, second] = await Promise.all([
      nextId(),
      cluster.client(2, token).createReport('raft', report(2)),
    ]);
    assert.equal(seen, second.id);
    reading.abort();
  });

  it('ends a session on all nodes, and uses a link on one', async () => {
    const { link } = await cluster.client(0).createAccountLink('alice');
    const body = JSON.stringify({ link: new URL(link).hash.slice(1) });
    const headers = { 'content-type': 'application/json' };
    const tries = await Promise.all(
      [...cluster.urls, ...cluster.urls].map((url) =>
        fetch(`${url}/session`, { method: 'POST', headers, body }),
      ),
    );
    const [signedIn, ...others] = tries.filter(({ ok }) => ok);
    assert.equal(others.length, 0);
    const cookie = signedIn?.headers.get('set-cookie')?.split(';')[0] ?? '';
    const statuses = () =>
      Promise.all(
        cluster.urls.map(
          async (url) => (await fetch(`${url}/session`, { headers: { cookie } })).status,
        ),
      );
    assert.deepEqual(await statuses(), [200, 200, 200]);
    const mark = { cookie, 'x-rapsheet-request': '1' };
    await fetch(`${cluster.urls[2]}/session`, { method: 'DELETE', headers: mark });
    const ended = await eventually(statuses, (all) => !all.includes(200));
    assert.deepEqual(ended, [401, 401, 401]);
  });

  // The delay is measured in test/storage/postgres/runner.long-test.ts, without the HTTP server.
  it('refuses on one node a token that was revoked on another', async () => {
    const other = await cluster.client(0, token).issueToken({ label: 'short-lived' });
    const here = cluster.client(1, other.token);
    const statusOf = () =>
      here.balance().then(
        () => 200,
        (cause: unknown) => (cause instanceof RapsheetError ? cause.status : undefined),
      );
    // The node caches the token from now on.
    assert.equal(await statusOf(), 200);
    await cluster.client(0, token).revokeToken(other.id);
    assert.equal(await eventually(statusOf, (status) => status === 401), 401);
  });

  it('serves on one node the analysis of a file uploaded to another', async () => {
    const text = `sample ${randomBytes(8).toString('hex')} `.repeat(100);
    const { sha256Hash } = await cluster.client(0, token).upload(new Blob([text]), {
      fileName: 'a.txt',
    });
    const state = await eventually(
      () => cluster.client(1, token).sampleStatus(sha256Hash),
      ({ status }) => status === 'done' || status === 'failed',
    );
    assert.equal(state.status, 'done');
    const { report: found } = await cluster.client(2, token).lookUp(sha256Hash);
    assert.equal(found.sha256Hash, sha256Hash);
  });

  it('analyses a sample whose worker was killed during the analysis', async () => {
    const readStatus = await uploadUntilRunning();
    // Either of the two workers can hold the job.
    await Promise.all(cluster.workers.map((worker) => worker.kill()));
    await cluster.workers[0]?.restart();
    const end = await eventually(
      readStatus,
      ({ status }) => status !== 'running' && status !== 'queued',
    );
    assert.equal(end.status, 'done');
  });

  /**
   * Uploads samples until one is observed in status `running`, and returns a function that reads
   * its status. A sample can be done before its status is read once.
   */
  async function uploadUntilRunning() {
    for (;;) {
      const sample = new Blob([randomBytes(6_000_000)]);
      const { sha256Hash } = await cluster.client(0, token).upload(sample, { fileName: 'b.bin' });
      const readStatus = () => cluster.client(1, token).sampleStatus(sha256Hash);
      const { status } = await eventually(readStatus, (state) => state.status !== 'queued');
      if (status === 'running') return readStatus;
      assert.equal(status, 'done');
    }
  }
});
