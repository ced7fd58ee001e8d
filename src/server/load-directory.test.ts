import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadDirectory } from './load-directory.ts';

const fact = (value: string) => ({
  value,
  source: 'https://provider.example/',
  date: '2026-01-31',
});
const provider = (name: string, ...suffixes: readonly string[]) => ({
  name,
  kind: 'tunnel',
  suffixes: suffixes.map(fact),
});

/** A folder with these files: texts, or values that are written as JSON. */
function folderOf(test: TestContext, files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-directory-'));
  test.after(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(folder, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  return folder;
}

describe('the folder of the directory', () => {
  it('has only valid files, none with a suffix or a network of another', () => {
    const { directory, problems } = loadDirectory();
    assert.deepEqual(problems, []);
    assert.equal(directory.find('a.ngrok.io')?.suffix, 'ngrok.io');
  });

  it('is read without the files that are wrong, which are named', (test) => {
    const ours = folderOf(test, {
      'a.json': provider('A', 'a.example'),
      'b.json': { ...provider('B', '*.b.example', 'B.example'), kind: '', name: '', what: 1 },
      'c.json': '{"name": ',
      'd.json': provider('D', 'a.example', 'd.example', 'd.example'),
      'schema.json': 'no entry',
      'notes.txt': 'no entry',
      '.hidden.json': 'no entry',
    });
    const { directory, problems } = loadDirectory({ ours });
    assert.equal(directory.find('x.a.example')?.name, 'A');
    assert.equal(directory.find('d.example')?.name, 'D');
    assert.equal(directory.find('b.example'), undefined);
    const [wrong = '', broken = '', ...others] = problems;
    assert.ok(wrong.startsWith(`${join(ours, 'b.json')} is left out: "what" is not a field`));
    assert.match(wrong, /; and 2 more$/);
    assert.ok(broken.startsWith(`${join(ours, 'c.json')} is left out: `), broken);
    assert.deepEqual(others, [
      `${join(ours, 'd.json')} has a.example, which a.json has: a.json wins`,
      `${join(ours, 'd.json')} has d.example twice`,
    ]);
  });

  it('is less than that of the operator', (test) => {
    const ours = folderOf(test, {
      'a.json': provider('A', 'a.example', 'old.example'),
      'b.json': provider('B', 'b.example', 'c.b.example'),
      'c.json': provider('C', 'c.example'),
    });
    const directoryFolder = folderOf(test, {
      'a.json': provider('own A', 'a.example'),
      'c.json': '',
      'z.json': provider('own', 'b.example'),
    });
    const { directory, problems } = loadDirectory({ ours, directoryFolder });
    const nameOf = (host: string) => directory.find(host)?.name;
    assert.equal(nameOf('a.example'), 'own A');
    // The file of the operator replaces the whole file with the same name.
    assert.equal(nameOf('old.example'), undefined);
    assert.equal(nameOf('x.b.example'), 'own');
    // A longer suffix is still more specific.
    assert.equal(nameOf('x.c.b.example'), 'B');
    // A wrong file replaces nothing.
    assert.equal(nameOf('c.example'), 'C');
    assert.equal(problems.length, 1);
  });

  it('is named if it cannot be read', (test) => {
    const ours = folderOf(test, { 'a.json': provider('A', 'a.example') });
    const directoryFolder = join(ours, 'absent');
    const { directory, problems } = loadDirectory({ ours, directoryFolder });
    assert.equal(directory.find('a.example')?.name, 'A');
    assert.equal(problems.length, 1);
    assert.ok(problems[0]?.startsWith(`${directoryFolder} could not be read: ENOENT`));
  });
});
