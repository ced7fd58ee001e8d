import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';

describe('rapsheet upload', () => {
  const installation = new TestInstallation();
  const folder = join(installation.folder, 'files');
  let settings: Record<string, string>;

  before(async () => {
    mkdirSync(folder);
    for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(folder, name), name);
    const { url } = await installation.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const { token } = await installation.json('account', 'add', 'alice', '--researcher');
    settings = { RAPSHEET_URL: url, RAPSHEET_TOKEN: token };
  });
  after(() => installation.close());

  it('uploads whole folders, and waits for their analyses', async () => {
    const { code, stdout, stderr } = await installation.run(['upload', folder, '--json'], {
      settings,
    });
    assert.equal(code, 0, stderr);
    const results = JSON.parse(stdout);
    assert.deepEqual(
      results.map(({ status }: { status: string }) => status),
      ['done', 'done', 'done'],
    );
    const [{ sha256Hash }] = results;
    const found = await installation.run(['lookup', sha256Hash], { settings });
    assert.match(found.stdout, /^a\.txt\n/);
  });

  it('shows a table', async () => {
    const { stdout } = await installation.run(['upload', join(folder, 'a.txt')], { settings });
    assert.match(stdout, /^STATUS +SHA-256 +FILE\ndone +[0-9a-f]{64} +.*a\.txt$/m);
  });

  it('names the files that the server rejects, and uploads the others', async () => {
    const other = join(installation.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'empty'), '');
    writeFileSync(join(other, 'full'), 'full');
    const { code, stdout, stderr } = await installation.run(['upload', other], { settings });
    assert.equal(code, 1);
    assert.match(stdout, /^refused +- +.*empty: .*$/m);
    assert.match(stdout, /^done +[0-9a-f]{64} +.*full$/m);
    assert.match(stderr, /1 of 2 files have no analysis/);
  });

  it('rejects a missing path before it uploads anything', async () => {
    const words = ['upload', join(folder, 'a.txt'), join(folder, 'absent')];
    const { code, stderr } = await installation.run(words, { settings });
    assert.equal(code, 1);
    assert.match(stderr, /there is no file/);
  });
});
