import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestInstallation, waitForOutput } from '../installation.ts';

const fact = (value: string) => ({
  value,
  source: 'https://provider.example/',
  date: '2026-01-31',
});

describe('the directory of an operator', () => {
  const installation = new TestInstallation();
  const folder = join(installation.folder, 'providers');
  const directory = { RAPSHEET_DIRECTORY: folder };
  const write = (name: string, json: object) =>
    writeFileSync(join(folder, name), JSON.stringify(json));
  let settings: Record<string, string>;
  before(async () => {
    mkdirSync(folder);
    write('ply.json', {
      name: 'Ply',
      kind: 'tunnel',
      suffixes: [fact('ply.example')],
      mail: fact('abuse@ply.example'),
      form: fact('https://ply.example/abuse'),
    });
    write('drift.json', { name: 'Drift', kind: 'hosting', networks: [fact('203.0.113.0/24')] });
    await installation.json('service', 'add', 'eu', '--host', '*.eu.ply.example');
    const { token } = await installation.json('account', 'add', 'alice');
    const { url } = await installation.server(directory);
    settings = { RAPSHEET_URL: url, RAPSHEET_TOKEN: token };
  });
  after(() => installation.close());

  const run = (...words: readonly string[]) => installation.run(words, { settings });
  const PLY = 'Ply (ply.example): abuse@ply.example, https://ply.example/abuse; as of 2026-01-31';
  const DRIFT = 'Drift (203.0.113.0/24): neither mail nor form is known; as of 2026-01-31';

  it('names who answers for an address without a service', async () => {
    const { stdout, stderr, code } = await run('c2', 'show', 'a.ply.example:80', '--route');
    assert.deepEqual([code, stdout], [0, `unclaimed\ndirectory  ${PLY}\n`]);
    assert.match(stderr, /No service declares a\.ply\.example/);
    const other = await run('c2', 'show', '203.0.113.7', '--route');
    assert.equal(other.stdout, `directory  ${DRIFT}\n`);
    const known = await run('c2', 'show', 'a.ply.example:80');
    assert.ok(known.stdout.includes(`\ndirectory    ${PLY}\n`), known.stdout);
  });

  it('names the service first', async () => {
    const { stdout } = await run('c2', 'show', 'x.eu.ply.example', '--route');
    assert.equal(stdout, `eu (*.eu.ply.example, declared)\ndirectory  ${PLY}\n`);
    const { contacts } = JSON.parse(
      (await run('c2', 'show', 'x.eu.ply.example', '--route', '--json')).stdout,
    );
    assert.deepEqual(
      contacts.map(({ source, suffix }: Record<string, string>) => [source, suffix]),
      [
        ['service', 'eu.ply.example'],
        ['directory', 'ply.example'],
      ],
    );
  });

  it('has wrong files named by doctor and in the log, and still serves', async () => {
    const wrong = join(installation.folder, 'wrong');
    mkdirSync(wrong);
    writeFileSync(join(wrong, 'bad.json'), JSON.stringify({ name: 'Bad', kind: 'tunnel' }));
    const problem = `${join(wrong, 'bad.json')} is left out: suffixes or networks must have at least one fact`;
    const doctor = await installation.run(['doctor', '--quick'], {
      settings: { RAPSHEET_DIRECTORY: wrong },
    });
    assert.equal(doctor.code, 1);
    assert.ok(doctor.stdout.includes(`WRONG  directory\n         ${problem}\n`), doctor.stdout);
    const child = installation.start(['serve'], {
      RAPSHEET_PORT: '0',
      RAPSHEET_METRICS_PORT: '0',
      RAPSHEET_ANALYSIS_WORKERS: '0',
      RAPSHEET_DIRECTORY: wrong,
    });
    const [log] = await waitForOutput(child, /^.*listens on/s);
    const warnings = log.split('\n').filter((line) => line.includes('of the directory'));
    assert.deepEqual(
      warnings.map((line) => JSON.parse(line).problem),
      [problem],
    );
  });
});
