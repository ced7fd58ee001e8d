import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../test/free-port.ts';
import type { Client } from '../client.ts';
import { beside } from '../processes.ts';
import { program, pythonPackage } from '../sources.ts';
import type { Trial } from '../trial.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Fetches a file as the archive that the server makes of it. */
async function assertUnpacked(
  trial: Trial,
  unpack: (archive: string, folder: string) => Promise<unknown>,
): Promise<void> {
  const sha256 = await analysedFile(trial);
  const archive = join(trial.folder, 'sample.zip');
  const folder = trial.emptyFolder('sample');
  await trial.execute('curl', [
    ...['-sSf', '-H', `Authorization: Bearer ${trial.token}`, '-o', archive],
    `${trial.url}/private/sample/${sha256}/file`,
  ]);
  await unpack(archive, folder);
  const [name = ''] = readdirSync(folder);
  const hash = createHash('sha256').update(readFileSync(join(folder, name)));
  assert.equal(hash.digest('hex'), sha256);
}

/** The SHA-256 of a file of the demo whose bytes are stored. */
async function analysedFile(trial: Trial): Promise<string> {
  const hashes = trial.demo.reports.map(({ sha256 }) => sha256);
  for (const hash of new Set(hashes)) {
    const headers = { authorization: `Bearer ${trial.token}` };
    const response = await fetch(`${trial.url}/private/sample/${hash}/file`, { headers });
    await response.body?.cancel();
    if (response.ok) return hash;
  }
  throw new Error('no file of the demo is stored');
}

const seriesIn = (metrics: string) =>
  [...metrics.matchAll(/^# TYPE (\S+) (?:counter|gauge)$/gm)].map(([, name = '']) => name);

export const SERVICE: readonly Client[] = [
  {
    name: 'uncoverit',
    source: pythonPackage('uncoverit'),
    command: 'uncoverit.main.api_endpoint = "…/private"; client.fetch_static_report(hash)',
    compared: 'hashes, tags and balance with those of the API; nothing for an unknown file',
    async run(trial) {
      const hash = await analysedFile(trial);
      const found = (await trial.python('sample-lookup.py', hash)) as {
        readonly sample: Readonly<Record<string, unknown>>;
        readonly balance: number;
      };
      const { report, quota } = await trial.client.lookUp(hash);
      assert.deepEqual(found.sample, report);
      assert.ok(quota !== undefined && found.balance > (quota.remaining ?? 0));
    },
  },
  {
    name: 'unzip',
    source: program('unzip', '-v'),
    command: 'unzip -P infected sample.zip',
    compared: 'the SHA-256 of the file',
    run: (trial) =>
      assertUnpacked(trial, (archive, folder) =>
        trial.execute('unzip', ['-q', '-P', 'infected', archive, '-d', folder]),
      ),
  },
  {
    name: '7-Zip',
    source: program('7z', 'i'),
    command: '7z x -pinfected sample.zip',
    compared: 'the SHA-256 of the file',
    run: (trial) =>
      assertUnpacked(trial, (archive, folder) =>
        trial.execute('7z', ['x', '-pinfected', `-o${folder}`, archive]),
      ),
  },
  {
    name: 'promtool',
    source: program('promtool'),
    command: 'curl …/metrics | promtool check metrics; promtool check rules',
    compared: 'that it finds no error and no warning',
    async run(trial) {
      const metrics = `http://127.0.0.1:${trial.metricsPort}/metrics`;
      const script = 'curl -sSf "$0" | promtool check metrics 2>&1';
      assert.equal(await trial.execute('sh', ['-c', script, metrics]), '');
      const rules = join(ROOT, 'deploy/prometheus/rapsheet.rules.yaml');
      assert.match(
        await trial.execute('promtool', ['check', 'rules', rules]),
        /SUCCESS: \d+ rules/,
      );
    },
  },
  {
    name: 'Prometheus',
    source: program('prometheus'),
    command: '`prometheus`, which scrapes `…/metrics`',
    compared: 'every counter and gauge',
    isLong: true,
    async run(trial) {
      const port = await freePort();
      const configuration = `global: { scrape_interval: 1s }\nscrape_configs: [ { job_name: rapsheet, static_configs: [ { targets: [ "127.0.0.1:${trial.metricsPort}" ] } ] } ]\n`;
      const command = [
        ...['prometheus', `--config.file=${trial.file('prometheus.yml', configuration)}`],
        `--storage.tsdb.path=${trial.emptyFolder('prometheus')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ];
      const stored = async (): Promise<readonly string[]> => {
        const url = `http://127.0.0.1:${port}/api/v1/label/__name__/values`;
        const response = await fetch(url).catch(() => undefined);
        if (response?.ok !== true) return [];
        return ((await response.json()) as { readonly data: readonly string[] }).data;
      };
      const metrics = await (await fetch(`http://127.0.0.1:${trial.metricsPort}/metrics`)).text();
      const isReady = async () => (await stored()).includes('process_start_time_seconds');
      await beside(trial, command, isReady, async () => {
        const names = await stored();
        const written = seriesIn(metrics).filter((name) =>
          new RegExp(`^${name}[ {]`, 'm').test(metrics),
        );
        assert.ok(written.length > 10);
        assert.deepEqual(
          written.filter((name) => !names.includes(name)),
          [],
        );
      });
    },
  },
];
