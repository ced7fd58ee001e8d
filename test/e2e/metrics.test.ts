import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RapsheetClient } from '../../src/client/client.ts';
import { onPostgres } from '../database.ts';
import { freePort } from '../free-port.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { answerWith, openReceiver } from '../outgoing/receiver.ts';
import { eventually } from '../until.ts';
import { uploadAndWait } from './server-setup.ts';

/** Returns the metrics of the process on that port, by name and labels. */
async function scrape(port: number): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^(rapsheet_\S+) (\S+)$/gm)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  );
}

/** Polls until the metrics have these values. Those of the queue can be some seconds old. */
async function assertMetrics(
  port: number,
  expected: Readonly<Record<string, number>>,
): Promise<void> {
  const read = async () => {
    const numbers = await scrape(port);
    return Object.fromEntries(Object.keys(expected).map((name) => [name, numbers.get(name)]));
  };
  const isExpected = (numbers: object) => JSON.stringify(numbers) === JSON.stringify(expected);
  assert.deepEqual(await eventually(read, isExpected), expected);
}

const blobOf = (text: string) => new Blob([text]);

describe('the metrics of a running server', () => {
  const installation = new TestInstallation();
  let client: RapsheetClient;
  let port = 0;
  before(async () => {
    port = await freePort();
    const { url } = await installation.server({
      RAPSHEET_METRICS_PORT: String(port),
      RAPSHEET_ANALYSIS_WORKERS: '1',
      RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
      RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    });
    await installation.json('service', 'add', 'ply');
    const options = ['--researcher', '--service', 'ply', '--quota', '2'];
    const { token } = await installation.json('account', 'add', 'alice', ...options);
    client = new RapsheetClient({ url, token, retries: 0 });
  });
  after(() => installation.close());

  it('count an upload that was analysed', async () => {
    const { status } = await uploadAndWait(client, blobOf('a sample'), 'a');
    assert.equal(status, 'done');
    await assertMetrics(port, {
      'rapsheet_analyses_total{outcome="done"}': 1,
      'rapsheet_analyses_total{outcome="failed"}': 0,
      rapsheet_analysis_seconds_count: 1,
      rapsheet_analyses_running: 0,
      rapsheet_analysis_workers: 1,
      'rapsheet_queue_jobs{kind="analyse"}': 0,
      'rapsheet_queue_oldest_seconds{kind="analyse"}': 0,
    });
  });

  it('count served and refused lookups', async () => {
    const lookUp = () => client.lookUp('0'.repeat(64)).catch(() => undefined);
    for (let round = 0; round < 5; round += 1) await lookUp();
    await assertMetrics(port, {
      'rapsheet_quota_units_total{outcome="served"}': 2,
      'rapsheet_quota_units_total{outcome="refused"}': 3,
    });
  });

  it('count delivered and dead webhook deliveries', async (test) => {
    const receiver = await openReceiver(test);
    const { webhook } = await client.addWebhook('ply', { url: receiver.url() });
    await client.testWebhook('ply', webhook.id);
    await assertMetrics(port, {
      'rapsheet_webhook_deliveries_total{outcome="delivered"}': 1,
      'rapsheet_webhook_deliveries_total{outcome="dead"}': 0,
    });
    receiver.answer = answerWith(410);
    await client.testWebhook('ply', webhook.id);
    await assertMetrics(port, {
      'rapsheet_webhook_deliveries_total{outcome="delivered"}': 1,
      'rapsheet_webhook_deliveries_total{outcome="dead"}': 1,
    });
  });

  it('include the connection pools on PostgreSQL only', async () => {
    const pools = [...(await scrape(port)).keys()].filter((name) =>
      name.startsWith('rapsheet_postgres'),
    );
    assert.equal(pools.length, onPostgres ? 12 : 0);
  });
});

describe('the metrics of a worker', () => {
  const installation = new TestInstallation();
  after(() => installation.close());

  it('count its analyses and the pending jobs', async () => {
    const [serverPort, workerPort] = [await freePort(), await freePort()];
    const { url } = await installation.server({ RAPSHEET_METRICS_PORT: String(serverPort) });
    const { token } = await installation.json('account', 'add', 'alice', '--researcher');
    const client = new RapsheetClient({ url, token, retries: 0 });
    await client.upload(blobOf('a sample'), { fileName: 'a' });
    await assertMetrics(serverPort, {
      'rapsheet_queue_jobs{kind="analyse"}': 1,
      rapsheet_analysis_workers: 0,
    });
    const worker = installation.start(['worker'], {
      RAPSHEET_METRICS_PORT: String(workerPort),
      RAPSHEET_ANALYSIS_WORKERS: '1',
    });
    worker.stdout.resume();
    await waitForOutput(worker, /Analysing samples/);
    await assertMetrics(workerPort, {
      'rapsheet_analyses_total{outcome="done"}': 1,
      rapsheet_analysis_workers: 1,
      'rapsheet_queue_jobs{kind="analyse"}': 0,
    });
    await assertMetrics(serverPort, {
      'rapsheet_analyses_total{outcome="done"}': 0,
      'rapsheet_queue_jobs{kind="analyse"}': 0,
    });
  });
});
