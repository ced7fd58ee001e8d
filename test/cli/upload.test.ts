import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
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
    const { code, stdout, stderr } = await installation.run(['sample', 'add', folder, '--json'], {
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
    const { stdout } = await installation.run(['sample', 'add', join(folder, 'a.txt')], {
      settings,
    });
    assert.match(stdout, /^STATUS +SHA-256 +FILE\ndone +[0-9a-f]{64} +.*a\.txt$/m);
  });

  it('reads standard input, and gives it a name', async () => {
    const words = ['sample', 'add', '-', '--name', 'piped.txt', '--json'];
    const { code, stdout } = await installation.run(words, { settings, input: 'from a pipe' });
    const [{ path, status, sha256Hash }] = JSON.parse(stdout);
    assert.deepEqual([code, path, status], [0, '-', 'done']);
    const found = await installation.run(['lookup', sha256Hash], { settings });
    assert.match(found.stdout, /^piped\.txt\n/);
    const empty = await installation.run(['sample', 'add', '-'], { settings });
    assert.match(empty.stdout, /^refused +- +-: /m);
    const excess = await installation.run(['sample', 'add', folder, '--name', 'x'], { settings });
    assert.equal(excess.code, 2);
  });

  it('names the files that the server rejects, and uploads the others', async () => {
    const other = join(installation.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'empty'), '');
    writeFileSync(join(other, 'full'), 'full');
    const { code, stdout, stderr } = await installation.run(['sample', 'add', other], { settings });
    assert.equal(code, 1);
    assert.match(stdout, /^refused +- +.*empty: .*$/m);
    assert.match(stdout, /^done +[0-9a-f]{64} +.*full$/m);
    assert.match(stderr, /1 of 2 files have no analysis/);
  });

  it('reports what is proposed in one go, once', async () => {
    await installation.json('service', 'add', 'ply', '--host', '*.example.invalid');
    const file = join(installation.folder, 'evil.exe');
    writeFileSync(file, fixture('analysis/families/asyncrat-plain.exe'));
    const upload = (...words: string[]) =>
      installation.run(['sample', 'add', file, '--report', ...words], { settings });
    const asked = await upload();
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /without a terminal, add --yes/);
    const { code, stdout, stderr } = await upload('--yes', '--json');
    assert.equal(code, 0, stderr);
    const { files, proposals } = JSON.parse(stdout);
    assert.equal(files[0].status, 'done');
    const [{ service, c2Address, state, report }] = proposals;
    assert.deepEqual([service, state, report.service], ['ply', 'reported', 'ply']);
    const fetched = await installation.run(['report', 'show', 'ply', report.id, '--json'], {
      settings,
    });
    assert.equal(JSON.parse(fetched.stdout).report.c2Address, c2Address);
    const again = await upload('--yes');
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /nothing left to report/);
    assert.match(again.stdout, new RegExp(`reported +ply +${c2Address} .* ${report.id}\\n`));
  });

  it('lists, reports and dismisses proposals', async () => {
    const file = join(installation.folder, 'clone.exe');
    writeFileSync(file, fixture('analysis/families/asyncrat-clone.exe'));
    const [{ sha256Hash: hash }] = JSON.parse(
      (await installation.run(['sample', 'add', file, '--json'], { settings })).stdout,
    );
    const run = (...words: string[]) => installation.run(words, { settings });
    const listed = await run('proposal', 'list', '--hash', hash, '--ndjson');
    const [first, ...others] = listed.stdout.trim().split('\n');
    const { id } = JSON.parse(first ?? '');
    const reported = await run('proposal', 'report', id, '--tag', 'mine', '--confidence', '40');
    assert.equal(reported.code, 0, reported.stderr);
    const refused = await run('proposal', 'dismiss', id, '--reason', 'other');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /was reported, so it cannot be dismissed/);
    const open = await run('proposal', 'list', '--hash', hash, '--json');
    assert.equal(JSON.parse(open.stdout).proposals.length, others.length);
    const absent = await run('proposal', 'report', '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80');
    assert.equal(absent.code, 3);
  });

  it('rejects a missing path before it uploads anything', async () => {
    const words = ['sample', 'add', join(folder, 'a.txt'), join(folder, 'absent')];
    const { code, stderr } = await installation.run(words, { settings });
    assert.equal(code, 1);
    assert.match(stderr, /there is no file/);
  });
});
