import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeSettings } from '../../src/config/describe-settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy');

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

/** The sources of the `COPY` lines, without those from another build stage. */
function copiedSources(containerfile: string): readonly string[] {
  return [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
}

describe('the deployment files', () => {
  const known = new Set(describeSettings().map(({ name }) => name));

  for (const file of readdirSync(FOLDER).sort()) {
    it(`name only existing settings in ${file}`, () => {
      const named = [...read(file).matchAll(/RAPSHEET_[A-Z0-9_]+/g)].map(String);
      assert.deepEqual(
        named.filter((name) => !known.has(name.replace(/_FILE$/, ''))),
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
