import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EXIT } from '../../src/cli/command.ts';
import { rowsOf } from '../../src/config/read-settings.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { copiedSources } from './container-context.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy');

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

function isFile(file: string): boolean {
  return statSync(join(FOLDER, file)).isFile();
}

describe('the deployment files', () => {
  const known = new Set(rowsOf(SETTINGS).map(({ name }) => name));

  for (const file of globSync('**', { cwd: FOLDER }).filter(isFile).sort()) {
    it(`name only existing settings in ${file}`, () => {
      const named = [...read(file).matchAll(/\bRAPSHEET_[A-Z0-9_]+/g)].map(String);
      assert.deepEqual(
        named.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, ''))),
        [],
      );
    });
  }

  it('copy every file that the program reads into the image, and no missing file', () => {
    const files = copiedSources(read('Containerfile'));
    for (const needed of [
      'bin',
      'src',
      'migrations',
      'rules',
      'directory',
      'lists',
      'demo',
      'package.json',
    ])
      assert.ok(files.includes(needed), needed);
    assert.deepEqual(
      files.filter((file) => !existsSync(join(ROOT, file))),
      [],
    );
  });

  it('build the web application and the program of workers in a stage of their own, with the development packages', () => {
    const text = read('Containerfile');
    const [, stage = ''] = /^FROM \S+ AS built\n(.*?)^FROM /ms.exec(text) ?? [];
    assert.match(stage, /^RUN npm ci (?!.*--omit)/m);
    assert.match(stage, /^RUN npm run prepare$/m);
    for (const needed of ['web', 'src', 'tsconfig.json', 'tsconfig.worker.json'])
      assert.ok(copiedSources(stage).includes(needed), needed);
    for (const script of ['scripts/build-web.js', 'scripts/build-worker.js'])
      assert.ok(copiedSources(stage).includes(script), script);
    for (const built of ['web/dist', 'build'])
      assert.ok(text.includes(`\nCOPY --from=built /app/${built} ${built}\n`), built);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of ['react', 'vite', '@tanstack/react-query', 'react-aria-components'])
      assert.ok(!Object.hasOwn(dependencies, name), name);
  });

  for (const file of ['rapsheet.service', 'rapsheet-worker@.service'])
    it(`let ${file} limit its workers by control groups, and filter their system calls`, () => {
      const lines = read(file).split('\n');
      assert.ok(lines.includes('Delegate=memory pids'));
      assert.ok(lines.includes('OOMPolicy=continue'));
      // Each of these would make the folders of the groups read-only, or forbid the sandbox.
      for (const setting of [
        'ProtectControlGroups',
        'ProtectKernelTunables',
        'RestrictNamespaces',
        'SystemCallFilter',
      ])
        assert.ok(!lines.some((line) => line.startsWith(`${setting}=`)), setting);
      // The processes of another program in the group could not be moved.
      assert.ok(lines.some((line) => /^ExecStart=\S+\/node /.test(line)));
    });

  for (const file of ['rapsheet.service', 'rapsheet-worker@.service'])
    it(`do not let ${file} start again with invalid settings`, () => {
      assert.ok(read(file).split('\n').includes(`RestartPreventExitStatus=${EXIT.settings}`));
    });

  it('start the program with the same file as `npm start`', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const [, program = ''] = /(bin\/\S+\.js) serve$/.exec(String(scripts.start)) ?? [];
    assert.notEqual(program, '');
    for (const file of ['Containerfile', 'rapsheet.service', 'rapsheet-worker@.service'])
      assert.ok(read(file).includes(program), file);
  });
});
