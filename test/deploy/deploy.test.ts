import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeSettings } from '../../src/config/describe-settings.ts';
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
  const known = new Set(describeSettings().map(({ name }) => name));

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
    for (const needed of ['bin', 'src', 'migrations', 'rules', 'demo', 'package.json'])
      assert.ok(files.includes(needed), needed);
    assert.deepEqual(
      files.filter((file) => !existsSync(join(ROOT, file))),
      [],
    );
  });

  it('build the web application in a stage of its own, with the development packages', () => {
    const text = read('Containerfile');
    const [, stage = ''] = /^FROM \S+ AS web\n(.*?)^FROM /ms.exec(text) ?? [];
    assert.match(stage, /^RUN npm ci (?!.*--omit)/m);
    assert.match(stage, /^RUN npm run prepare$/m);
    for (const needed of ['web', 'src/client', 'scripts/build-web.js', 'tsconfig.json'])
      assert.ok(copiedSources(stage).includes(needed), needed);
    assert.match(text, /^COPY --from=web \/app\/web\/dist web\/dist$/m);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of ['react', 'vite', '@tanstack/react-query', 'react-aria-components'])
      assert.ok(!Object.hasOwn(dependencies, name), name);
  });

  it('start the program with the same file as `npm start`', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const [, program = ''] = /(bin\/\S+\.js) serve$/.exec(String(scripts.start)) ?? [];
    assert.notEqual(program, '');
    for (const file of ['Containerfile', 'rapsheet.service', 'rapsheet-worker@.service'])
      assert.ok(read(file).includes(program), file);
  });
});
