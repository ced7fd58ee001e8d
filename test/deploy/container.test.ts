import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { copiedSources, isSent } from './container-context.ts';

const ROOT = join(import.meta.dirname, '../..');
const containerfile = readFileSync(join(ROOT, 'deploy/Containerfile'), 'utf8');
const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8');

const sources = copiedSources(containerfile);

/** The files of a source that the program or the build of the web application needs. */
function filesOf(source: string): readonly string[] {
  if (!statSync(join(ROOT, source)).isDirectory()) return [source];
  return globSync(`${source}/**/*`, { cwd: ROOT })
    .filter((path) => statSync(join(ROOT, path)).isFile())
    .filter((path) => !/^web\/dist\/|\.test\.tsx?$/.test(path));
}

describe('.dockerignore', () => {
  it('sends every file that the Containerfile copies', () => {
    assert.ok(sources.length > 10);
    const ignored = sources.flatMap(filesOf).filter((path) => !isSent(rules, path));
    assert.deepEqual(ignored, []);
  });

  it('sends nothing else of the repository', () => {
    const files = globSync('*', { cwd: ROOT, exclude: (name) => sources.includes(name) });
    const topFolders = new Set(sources.map((source) => source.split('/')[0]));
    assert.deepEqual(
      files.filter((name) => !topFolders.has(name) && isSent(rules, name)),
      [],
    );
  });

  const PRIVATE = [
    'data/rapsheet.db',
    'data/admin-token',
    'data/secret-key',
    'data/samples/ab/cd/abcd',
    'demo-data/rapsheet.db',
    'deploy/.env',
    '.env',
    'web/.env.local',
    'src/admin-token',
    'demo/secret-key',
    'demo/rapsheet.db-wal',
    'rules/store.sqlite',
    '.git/config',
    '.ci/artefacts/screenshots/a.png',
    'node_modules/fastify/package.json',
    'web/node_modules/react/index.js',
    'web/dist/index.html',
    'dist/src/cli/main.js',
    'docs/architecture.md',
    'test/fixtures/analysis/a.in.gz.b64',
    'scripts/test.ts',
    'src/domain/quota.test.ts',
    'rapsheet-0.1.0.tgz',
  ];
  for (const path of PRIVATE) {
    it(`does not send ${path}`, () => {
      assert.equal(isSent(rules, path), false);
    });
  }
});

describe('the image', () => {
  const [, final = ''] = /^FROM \$\{NODE_IMAGE\}\n(.*)/ms.exec(containerfile) ?? [];

  it('has the Node of its base in every stage, and not the pinned one', () => {
    const [, base = ''] = /^ARG NODE_IMAGE=\S+node:(\d+)-/m.exec(containerfile) ?? [];
    assert.ok(Number(base) >= 24);
    assert.match(containerfile, /^FROM /m);
    assert.doesNotMatch(containerfile, /^FROM (?!\$\{NODE_IMAGE\})/m);
    assert.match(containerfile, /^RUN npm ci --omit=dev --omit=optional --ignore-scripts$/m);
    assert.match(final, /^ENTRYPOINT \["node", /m);
    assert.doesNotMatch(final, /\.bin\/node/);
  });

  it('copies each source once in a stage', () => {
    for (const stage of containerfile.split(/^FROM /m)) {
      const copied = copiedSources(stage);
      assert.deepEqual(copied, [...new Set(copied)]);
    }
  });

  it('checks its health on the port of its settings', () => {
    const [, check = ''] = /^HEALTHCHECK .*?CMD (\[.*?\])$/ms.exec(final) ?? [];
    assert.match(
      JSON.parse(check).at(-1),
      /127\.0\.0\.1:' \+ \(process\.env\.RAPSHEET_PORT \|\| 8080\)/,
    );
  });

  it('runs as a user that Kubernetes can tell from root', () => {
    assert.match(final, /useradd --uid 10001 /);
    assert.match(final, /^USER 10001$/m);
  });
});
