import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const MAX_PACKED_BYTES = 3 * 1024 * 1024;

/** What the program needs at run time, what a user reads, and nothing else. */
const ALLOWED = [
  // The launcher.
  /^bin\/(?:launch|program|rapsheet|runtime)\.js$/,
  // The program.
  /^dist\/src\/.+\.js$/,
  // The types of `rapsheet/client`.
  /^dist\/src\/client\/[^/]+\.d\.ts$/,
  // Read at run time.
  /^dist\/migrations\/(?:sqlite|postgres)\/[^/]+\.sql$/,
  /^dist\/rules\/[^/]+\.yar$/,
  /^dist\/directory\/[^/]+\.json$/,
  /^dist\/lists\/[^/]+\.json$/,
  /^dist\/web\/dist\/(?:index\.html(?:\.br|\.gz)?|files\.json|assets\/.+)$/,
  // `rapsheet demo`.
  /^dist\/demo\/(?:[^/.]+\.(?:json|ndjson)|files\/.+|uploads\/.+)$/,
  // The OpenAPI document, the guides of the reference page, its script and its styles.
  /^dist\/docs\/openapi\.json$/,
  /^dist\/docs\/guides\/[^/]+\.md$/,
  /^dist\/src\/http\/web\/reference\/reference\.browser\.js$/,
  /^dist\/src\/http\/web\/reference\/[^/]+\.css$/,
  /^docs\/man\/[^/]+\.1$/,
  /^(?:CHANGELOG\.md|LICENSE|NOTICE|README\.md|package\.json)$/,
];
const PRIVATE = /(?:^|\/)(?:data|tests?|fixtures|bench|\.[^/]+|admin-token|secret-key)(?:\/|$)/;

/** A package that `npm pack` has made. Making one takes long, so only `.ci/run` does. */
const file = process.env['TEST_PACKAGE_FILE'];

describe('the npm package', { skip: file === undefined && 'TEST_PACKAGE_FILE is not set' }, () => {
  const listing = () =>
    execFileSync('tar', ['-tzf', String(file)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));

  it('has only what is allowed', () => {
    const extra = listing().filter((path) => !ALLOWED.some((pattern) => pattern.test(path)));
    assert.deepEqual(extra, []);
  });

  it('has every kind of what is needed', () => {
    const paths = listing();
    for (const pattern of ALLOWED.filter(({ source }) => !source.includes('man')))
      assert.ok(
        paths.some((path) => pattern.test(path)),
        pattern.source,
      );
  });

  it('has nothing private, no tests and no fixtures', () => {
    const found = listing().filter((path) => PRIVATE.test(path) || /\.test\.js$/.test(path));
    assert.deepEqual(found, []);
  });

  it('has an executable command', () => {
    const lines = execFileSync('tar', ['-tvzf', String(file)], { encoding: 'utf8' }).split('\n');
    const [mode] =
      lines.find((line) => line.endsWith(' package/bin/rapsheet.js'))?.split(' ') ?? [];
    assert.equal(mode, '-rwxr-xr-x');
  });

  it(`has at most ${MAX_PACKED_BYTES} bytes`, () => {
    assert.ok(statSync(String(file)).size <= MAX_PACKED_BYTES);
  });
});

describe('the definition of the npm package', () => {
  const { files, scripts, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  const copied = [...String(scripts.prepack).matchAll(/cp (?:-r )?(.+?) dist\//g)]
    .flatMap(([, names = '']) => names.split(' '))
    .sort();

  it('lists folders by name', () => {
    const known = ['bin', 'dist', 'CHANGELOG.md', 'NOTICE', 'docs/man'];
    assert.deepEqual(
      files.filter((name: string) => !name.startsWith('!') && !known.includes(name)),
      [],
    );
  });

  it('copies only what the program reads at run time', () => {
    assert.deepEqual(copied, [
      'demo',
      'directory',
      'docs/guides',
      'docs/openapi.json',
      'lists',
      'migrations',
      'rules',
      'src/http/web/reference/operations.css',
      'src/http/web/reference/reference.browser.js',
      'src/http/web/reference/reference.css',
      'web/dist',
    ]);
  });

  it('copies no script over a compiled module', () => {
    const scripts = copied.filter((path) => path.startsWith('src/') && path.endsWith('.js'));
    const compiled = scripts.filter((path) => existsSync(join(ROOT, path.replace(/js$/, 'ts'))));
    assert.deepEqual(compiled, []);
  });

  it('copies what the image copies', () => {
    const containerfile = readFileSync(join(ROOT, 'deploy/Containerfile'), 'utf8');
    const [, final = ''] = /^FROM \$\{NODE_IMAGE\}\n(.*)/ms.exec(containerfile) ?? [];
    const targets = [...final.matchAll(/^COPY .*?(\S+)$/gm)].map(([, target = '']) => target);
    const missing = copied.filter((path) => !targets.some((to) => `${path}/`.startsWith(`${to}/`)));
    assert.deepEqual(missing, []);
  });

  it('asks for the version of Node that the launcher asks for', () => {
    const launcher = readFileSync(join(ROOT, 'bin/runtime.js'), 'utf8');
    const [, major, minor] = /LEAST = \[(\d+), (\d+)\]/.exec(launcher) ?? [];
    assert.equal(engines.node, `>=${major}.${minor}`);
  });
});
