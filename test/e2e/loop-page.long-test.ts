import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestInstallation } from '../installation.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = readFileSync(`${ROOT}docs/operations/the-loop.md`, 'utf8');
const RAPSHEET = `rapsheet() { ${process.execPath} ${ROOT}src/cli/rapsheet.ts "$@"; }`;

/** The commands of the page, on this server and store. */
function script(url: string, dataDir: string): string {
  const blocks = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text);
  return `set -eu\n${blocks.join('\n')}`
    .replace(/^rapsheet\(\) .*$/m, RAPSHEET)
    .replaceAll('./loop-data', dataDir)
    .replace('http://127.0.0.1:8080', url);
}

describe('the page about the loop', () => {
  const installation = new TestInstallation();
  after(() => installation.close());

  it('has commands that work when pasted, and the results that it promises', async () => {
    mkdirSync(installation.dataDir, { recursive: true });
    const { url } = await installation.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const environment = { PATH: process.env['PATH'], ...installation.settings };
    const text = script(url, installation.dataDir);
    const run = promisify(execFile)('bash', ['-c', text], { cwd: ROOT, env: environment });
    const { stdout } = await run;
    const promised = [
      /precision +no report is judged yet/,
      /precision +100.0 % \(20.7 % to 100.0 %\), 1 of 1 right/,
      /^worm.example.invalid:7000$/m,
      /recurrences +1,/,
      /contradicted .* innocent/,
      /belongs to ply/,
      /ok +statistics of feeds/,
    ];
    for (const pattern of promised) assert.match(stdout, pattern);
  });
});
