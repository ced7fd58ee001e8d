import assert from 'node:assert/strict';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { onSqliteAlone } from '../database.ts';
import { Workplace } from '../workplace.ts';

describe('rapsheet doctor', () => {
  const place = new Workplace();
  let sample: string;
  let path: string;
  before(async () => {
    await place.json('service', 'add', 'ply');
    const { token } = await place.json('account', 'add', 'alice', '--researcher');
    const server = await place.server();
    const settings = { RAPSHEET_URL: server.url, RAPSHEET_TOKEN: token };
    const file = place.file('sample.bin', 'a sample');
    const { stdout } = await place.run(['upload', file, '--no-wait', '--json'], { settings });
    sample = JSON.parse(stdout)[0].sha256Hash;
    path = join(place.dataDir, 'samples', sample.slice(0, 2), sample.slice(2, 4), sample);
    await server.end('SIGTERM');
  });
  after(() => place.close());

  it('says of each check that it is right', async () => {
    const { code, stdout } = await place.run(['doctor']);
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    assert.ok(lines.length > 10);
    assert.ok(lines.every((line) => line.startsWith('ok     ')));
  });

  it('gives everything as one value', async () => {
    const { ok, checks } = await place.json('doctor', '--quick');
    assert.equal(ok, true);
    assert.deepEqual(checks[0], { name: 'the database itself', wrong: [], hasMore: false });
  });

  it('finds a sample with other bytes, unless it is to be quick', async () => {
    appendFileSync(path, 'x');
    const { code, stdout, stderr } = await place.run(['doctor']);
    assert.equal(code, 1);
    assert.match(
      stdout,
      new RegExp(`^WRONG  files of samples\n +sample ${sample}: its file has other bytes$`, 'm'),
    );
    assert.match(stderr, /1 of \d+ checks found something wrong/);
    assert.equal((await place.run(['doctor', '--quick'])).code, 0);
  });

  it('finds a sample whose file is missing, also when it is quick', async () => {
    rmSync(path);
    for (const words of [['doctor'], ['doctor', '--quick']]) {
      const { code, stdout } = await place.run(words);
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`sample ${sample}: its file is missing`));
    }
  });

  it('changes nothing', async () => {
    const db = new DatabaseSync(join(place.dataDir, 'rapsheet.db'));
    const version = () => db.prepare('pragma data_version').get()?.['data_version'];
    const before = version();
    await place.run(['doctor']);
    assert.equal(version(), before);
    db.close();
  });

  it('makes no store where there is none', onSqliteAlone('there it is a file'), async () => {
    const settings = { RAPSHEET_DATA_DIR: join(place.folder, 'elsewhere') };
    const { code, stderr } = await place.run(['doctor'], { settings });
    assert.equal(code, 1);
    assert.match(stderr, /there is no store/);
    assert.ok(!existsSync(join(place.folder, 'elsewhere', 'rapsheet.db')));
  });
});
