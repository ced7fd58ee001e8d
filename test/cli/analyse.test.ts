import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { fixture } from '../analysis/fixture.ts';
import { TestInstallation } from '../installation.ts';

describe('rapsheet analyse', () => {
  const installation = new TestInstallation();
  const folder = join(installation.folder, 'files');

  before(() => {
    mkdirSync(join(folder, 'deep'), { recursive: true });
    writeFileSync(join(folder, 'hello.exe'), fixture('analysis/pe/hello32'));
    writeFileSync(join(folder, 'deep', 'note.txt'), 'nothing to see here\n');
  });
  after(() => installation.close());

  it('prints the analysis of a file, the tags with the highest heat first', async () => {
    const { code, stdout, stderr } = await installation.run(['analyse', join(folder, 'hello.exe')]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^hello\.exe\n\ntags, hottest first:\n/);
    assert.match(stdout, /^ {2} 1 {2}PE32$/m);
    assert.match(stdout, /^ {2}SHA-256 {3}[0-9a-f]{64}$/m);
    assert.match(stdout, /^ {2}TLSH {2}T1[0-9A-F]{70}$/m);
  });

  it('prints the analysis of every file of a folder as JSON, with evidence', async () => {
    const { code, stdout, stderr } = await installation.run(['analyse', folder, '--json']);
    assert.equal(code, 0, stderr);
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      results.map(({ report }) => report.fileName),
      ['note.txt', 'hello.exe'],
    );
    assert.ok(results[1].details.facts.pe);
    assert.match(stderr, /2 analysed, 0 failed/);
  });

  it('prints lines that `sample import` accepts', async () => {
    const { stdout } = await installation.run(['analyse', folder, '--ndjson']);
    const imported = await installation.run(['sample', 'import', '-', '--json'], { input: stdout });
    assert.equal(imported.code, 0, imported.stderr);
    assert.equal(JSON.parse(imported.stdout).added, 2);
  });

  it('prints a line with path, report and details for each file', async () => {
    const words = ['analyse', folder, '--ndjson', '--details'];
    const { code, stdout, stderr } = await installation.run(words);
    assert.equal(code, 0, stderr);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map((line) => [Object.keys(line).join(), line.path, line.report.fileName]),
      [
        ['path,report,details', join(folder, 'deep', 'note.txt'), 'note.txt'],
        ['path,report,details', join(folder, 'hello.exe'), 'hello.exe'],
      ],
    );
    assert.equal(lines[0].details.tlsh, undefined);
    assert.match(lines[1].details.tlsh, /^T1[0-9A-F]{70}$/);
    assert.ok(lines[1].details.facts.pe);
  });

  it('names a file that it cannot analyse, and continues with the others', async () => {
    const settings = { RAPSHEET_UPLOAD_LIMIT_BYTES: '100' };
    const { code, stdout, stderr } = await installation.run(['analyse', folder, '--ndjson'], {
      settings,
    });
    assert.equal(code, 1);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
    assert.match(stderr, /hello\.exe: unreadable: the file is larger than 100 bytes/);
    assert.match(stderr, /1 analysed, 1 failed/);
  });

  it('uses rules of the operator, and skips invalid ones', async () => {
    const rules = join(installation.folder, 'rules');
    mkdirSync(rules);
    writeFileSync(
      join(rules, 'mine.yar'),
      'rule Mine { meta: tag = "MINE" heat = 6 strings: $a = "nothing to see" condition: $a }',
    );
    writeFileSync(join(rules, 'broken.yar'), 'rule Broken { condition: }');
    const settings = { RAPSHEET_RULES_DIR: rules };
    const words = ['analyse', join(folder, 'deep'), '--ndjson'];
    const { code, stdout, stderr } = await installation.run(words, { settings });
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).tags[0], { heat: 6, name: 'MINE' });
    assert.match(stderr, /^local\/broken, line 1: .*syntax error/m);
  });

  it('rejects a missing path', async () => {
    const { code, stderr } = await installation.run(['analyse', join(folder, 'absent')]);
    assert.equal(code, 1);
    assert.match(stderr, /there is no file .*absent/);
  });

  it('ends without an error when the reader of its output closes the pipe', async () => {
    const child = installation.start(['analyse', folder, '--ndjson']);
    child.stdout.destroy();
    const closed = once(child, 'close');
    assert.doesNotMatch(await text(child.stderr), /EPIPE| {4}at /);
    await closed;
  });
});
