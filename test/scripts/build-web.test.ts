import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** A copy of the tree with the script alone. */
function copyTree(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-build-'));
  test.after(() => rmSync(folder, { recursive: true }));
  for (const file of ['scripts/build-web.js', 'package.json'])
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  return folder;
}

function build(folder: string) {
  const script = join(folder, 'scripts/build-web.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe('npm run prepare', () => {
  it('prints one line without Vite and without built files', (test) => {
    const { status, output } = build(copyTree(test));
    assert.equal(status, 0);
    assert.match(output, /^The web application is not built: .*npm ci.*\n$/);
  });

  it('is quiet without Vite if the files are built', (test) => {
    const folder = copyTree(test);
    const list = join(folder, 'web/dist/files.json');
    write(list, '{}');
    assert.deepEqual(build(folder), { status: 0, output: '' });
    assert.equal(readFileSync(list, 'utf8'), '{}');
  });

  it('keeps the files of the last build if a build fails', (test) => {
    const folder = copyTree(test);
    cpSync(join(ROOT, 'web/build'), join(folder, 'web/build'), { recursive: true });
    cpSync(join(ROOT, 'web/vite.config.ts'), join(folder, 'web/vite.config.ts'));
    write(join(folder, 'web/index.html'), '<script type="module" src="/missing.ts"></script>');
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const list = join(folder, 'web/dist/files.json');
    write(list, '{}');
    const { status, output } = build(folder);
    assert.equal(status, 1);
    assert.match(output, /missing\.ts/);
    assert.equal(readFileSync(list, 'utf8'), '{}');
  });

  it('builds the application with Vite, from web/ and the client alone', (test) => {
    const folder = copyTree(test);
    for (const name of ['web/src', 'web/build', 'src/client'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    for (const name of [
      'web/index.html',
      'web/vite.config.ts',
      'web/tsconfig.json',
      'tsconfig.json',
    ])
      cpSync(join(ROOT, name), join(folder, name));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    write(join(folder, 'web/dist/of-the-last-build.js'), '');
    assert.deepEqual(build(folder), { status: 0, output: '' });
    assert.deepEqual(
      readdirSync(join(folder, 'web')).filter((name) => name.startsWith('dist')),
      ['dist'],
    );
    assert.ok(!existsSync(join(folder, 'web/dist/of-the-last-build.js')));
    const list = JSON.parse(readFileSync(join(folder, 'web/dist/files.json'), 'utf8'));
    assert.ok(Object.hasOwn(list.files, 'index.html'));
    for (const [path, { encodings }] of Object.entries<{ encodings: string[] }>(list.files)) {
      assert.ok(existsSync(join(folder, 'web/dist', path)), path);
      assert.equal(existsSync(join(folder, 'web/dist', `${path}.br`)), encodings.includes('br'));
      assert.equal(existsSync(join(folder, 'web/dist', `${path}.gz`)), encodings.includes('gzip'));
    }
  });
});
