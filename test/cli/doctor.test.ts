import assert from 'node:assert/strict';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { onlyOnSqlite } from '../database.ts';
import { TestInstallation } from '../installation.ts';

describe('rapsheet doctor', () => {
  const installation = new TestInstallation();
  let sample: string;
  let path: string;
  before(async () => {
    await installation.json('service', 'add', 'ply');
    const { token } = await installation.json('account', 'add', 'alice', '--researcher');
    const server = await installation.server();
    const settings = { RAPSHEET_URL: server.url, RAPSHEET_TOKEN: token };
    const file = installation.file('sample.bin', 'a sample');
    const { stdout } = await installation.run(['sample', 'add', file, '--no-wait', '--json'], {
      settings,
    });
    sample = JSON.parse(stdout)[0].sha256Hash;
    path = join(installation.dataDir, 'samples', sample.slice(0, 2), sample.slice(2, 4), sample);
    await fetch(`${server.url}/feed/ply/api`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify({ c2Address: 'a.example:443', file256Hash: sample }),
    });
    await server.end('SIGTERM');
  });
  after(() => installation.close());

  it('prints a passing line for each check', async () => {
    const { code, stdout } = await installation.run(['doctor']);
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    assert.ok(lines.length > 10);
    assert.ok(lines.every((line) => line.startsWith('ok     ')));
  });

  it('names the tier of isolation of a worker that it starts', async () => {
    const settings = { RAPSHEET_ANALYSIS_WORKERS: '1' };
    const { code, stdout } = await installation.run(['doctor', '--quick'], { settings });
    assert.equal(code, 0);
    assert.match(stdout, /^ok {5}isolation of samples \((full|sandbox|limits|runtime): .+\)$/m);
  });

  it('prints all results as one JSON value', async () => {
    const { ok, checks } = await installation.json('doctor', '--quick');
    assert.equal(ok, true);
    assert.deepEqual(checks[0], { name: 'the database itself', wrong: [], hasMore: false });
  });

  it('finds a sample whose bytes changed, but not with --quick', async () => {
    appendFileSync(path, 'x');
    const { code, stdout, stderr } = await installation.run(['doctor']);
    assert.equal(code, 1);
    assert.match(
      stdout,
      new RegExp(`^WRONG  files of samples\n +sample ${sample}: its file has other bytes$`, 'm'),
    );
    assert.match(stderr, /1 of \d+ checks failed/);
    assert.equal((await installation.run(['doctor', '--quick'])).code, 0);
  });

  it('finds a sample whose file is missing, even with --quick', async () => {
    rmSync(path);
    for (const words of [['doctor'], ['doctor', '--quick']]) {
      const { code, stdout } = await installation.run(words);
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`sample ${sample}: its file is missing`));
    }
  });

  it('writes the statistics again with --recount', onlyOnSqlite('it changes a file'), async () => {
    const db = new DatabaseSync(join(installation.dataDir, 'rapsheet.db'));
    db.exec(
      'update statistic_total set open = 5 where scope = (select min(service_id) from report)',
    );
    db.close();
    const wrong = await installation.run(['doctor', '--quick']);
    assert.match(wrong.stdout, /^WRONG {2}statistics of feeds$/m);
    const { stdout, stderr } = await installation.run(['doctor', '--quick', '--recount']);
    assert.match(stderr, /^Counted 1 reports again\.$/m);
    assert.match(stdout, /^ok {5}statistics of feeds$/m);
  });

  it('says what --repair would do, which does it', onlyOnSqlite('it changes a file'), async () => {
    const db = new DatabaseSync(join(installation.dataDir, 'rapsheet.db'));
    // As a node leaves a report that knows nothing of the columns.
    db.exec('update report set added_at = 0; delete from statistic_reporter');
    db.close();
    const wrong = await installation.run(['doctor', '--quick']);
    assert.match(
      wrong.stderr,
      /^`rapsheet doctor --repair` would publish 1 reports again and count all reports again\.$/m,
    );
    const { stdout, stderr } = await installation.run(['doctor', '--quick', '--repair']);
    assert.match(
      stderr,
      /^Published 1 reports again that an older node had written or changed\.$/m,
    );
    assert.match(stderr, /^Counted 1 reports again for the statistics\.$/m);
    assert.match(stdout, /^ok {5}order of publication$/m);
    assert.match(stdout, /^ok {5}statistics of feeds$/m);
    const again = await installation.run(['doctor', '--quick', '--repair']);
    assert.match(again.stderr, /^The order of publication needed no repair\.$/m);
    assert.match(again.stderr, /^The statistics needed no repair\.$/m);
  });

  it('changes nothing', async () => {
    const db = new DatabaseSync(join(installation.dataDir, 'rapsheet.db'));
    const version = () => db.prepare('pragma data_version').get()?.['data_version'];
    const before = version();
    await installation.run(['doctor']);
    assert.equal(version(), before);
    db.close();
  });

  it('creates no store if there is none', onlyOnSqlite('its store is a file'), async () => {
    const settings = { RAPSHEET_DATA_DIR: join(installation.folder, 'elsewhere') };
    const { code, stderr } = await installation.run(['doctor'], { settings });
    assert.equal(code, 1);
    assert.match(stderr, /there is no store/);
    assert.ok(!existsSync(join(installation.folder, 'elsewhere', 'rapsheet.db')));
  });
});
