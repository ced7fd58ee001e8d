import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'vite';
import { wireAnalysis } from '../builders.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The program that the guide shows. */
function programOfGuide(): string {
  const guide = readFileSync(join(ROOT, 'docs/guides/typescript.md'), 'utf8');
  return /^```ts\n(.*?)^```$/ms.exec(guide)?.[1] ?? '';
}

/** A package that `npm pack` has made. Making one takes long, so only `.ci/run` does. */
const file = process.env['TEST_PACKAGE_FILE'];

describe('rapsheet/client', { skip: file === undefined && 'TEST_PACKAGE_FILE is not set' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-package-'));
  const installed = join(folder, 'node_modules/rapsheet');
  after(() => rmSync(folder, { recursive: true, force: true }));

  before(async () => {
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', String(file), '-C', installed, '--strip-components=1']);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'program.ts'), programOfGuide());
    // Only the types of Node: a program of somebody else has nothing of this repository.
    mkdirSync(join(folder, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types'])
      if (existsSync(join(ROOT, 'node_modules', name)))
        symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  });

  const compile = (...options: readonly string[]) =>
    run(
      join(ROOT, 'node_modules/.bin/tsc'),
      ['--strict', '--noEmit', '--ignoreConfig', '--target', 'es2024', ...options],
      { cwd: folder },
    ).catch(({ stdout }: { stdout: string }) => assert.fail(stdout));

  it('has types in Node', async () => {
    await compile('--module', 'nodenext', '--types', 'node', 'program.ts');
  });

  it('has types in browsers, and refuses a wrong member', async () => {
    const page = [
      "import { type CreateReportBody, RapsheetClient } from 'rapsheet/client';",
      "const client = new RapsheetClient({ url: location.origin, token: 'rap_x' });",
      "const body: CreateReportBody = { c2Address: 'a.example:1', file256Hash: 'ab' };",
      "export const id: Promise<string> = client.createReport('ply', body).then((made) => made.id);",
      '// @ts-expect-error',
      "void client.createReport('ply', { c2: 'a.example:1' });",
    ];
    writeFileSync(join(folder, 'page.ts'), page.join('\n'));
    const browser = ['--module', 'preserve', '--moduleResolution', 'bundler'];
    await compile(...browser, '--types', '', '--lib', 'es2024,dom,dom.iterable', 'page.ts');
  });

  it('is bundled for a browser without anything of Node', async () => {
    const built = await build({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      build: {
        write: false,
        minify: false,
        lib: { entry: join(installed, 'dist/src/client/package-entry.js'), formats: ['es'] },
      },
    });
    const code = [built]
      .flat()
      .flatMap((one) => ('output' in one ? one.output : []))
      .map((part) => ('code' in part ? part.code : ''))
      .join('\n');
    assert.match(code, /\bRapsheetClient = class\b/);
    assert.doesNotMatch(
      code,
      /["']node:|\brequire\(|\bprocess\.|\bBuffer\b|__vite-browser-external/,
    );
  });

  async function callServer(listener: RequestListener) {
    const server = createServer(listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const env = {
      PATH: process.env['PATH'],
      RAPSHEET_URL: `http://127.0.0.1:${port}`,
      RAPSHEET_TOKEN: 'rap_x',
    };
    try {
      return await run(process.execPath, ['program.ts'], { cwd: folder, env });
    } finally {
      server.close();
    }
  }

  it('repeats a lookup after 429 and 503, which were not charged', async () => {
    const statuses = [429, 503, 200];
    const analysis = wireAnalysis('packed');
    const tokens: unknown[] = [];
    const { stdout } = await callServer((request, response) => {
      tokens.push(request.headers.authorization);
      const status = statuses[tokens.length - 1] ?? 500;
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
      const refused = { error: 'Later.', successful: false };
      response.end(JSON.stringify(status === 200 ? analysis : refused));
    });
    assert.deepEqual(tokens, Array(3).fill('Bearer rap_x'));
    assert.ok(stdout.startsWith(analysis.fileName), stdout);
  });

  it('throws an error with the code of the server', async () => {
    const { stderr } = await callServer((_, response) => {
      response.writeHead(404, {
        'content-type': 'application/json',
        'x-error-code': 'unknown_sample',
      });
      response.end(JSON.stringify({ error: 'There is no report.', successful: false }));
    });
    assert.match(stderr, /^unknown_sample 404 There is no report\./);
  });

  it('exports nothing else', async () => {
    const other = ['--input-type=module', '-e', "await import('rapsheet/dist/src/config.js')"];
    await assert.rejects(run(process.execPath, other, { cwd: folder }), /ERR_PACKAGE_PATH_NOT/);
  });
});
