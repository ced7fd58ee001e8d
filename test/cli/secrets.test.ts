import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RapsheetClient } from '../../src/client/client.ts';
import { createBody } from '../builders.ts';
import { TestInstallation } from '../installation.ts';
import { until } from '../until.ts';

const ENTRY = fileURLToPath(new URL('../../src/cli/rapsheet.ts', import.meta.url));
const SECRET = /ra[psl]_[A-Za-z0-9_-]{20,}|whsec_/;
const QUIET = {
  RAPSHEET_PORT: '0',
  RAPSHEET_METRICS_PORT: '0',
  RAPSHEET_ANALYSIS_WORKERS: '0',
  RAPSHEET_LOG_LEVEL: 'debug',
};
/** The timeout ends a test that hangs; it does not measure speed. */
const WAIT = { timeout: 180_000 };

describe('the output of a server', WAIT, () => {
  const [plain, terminal] = [new TestInstallation(), new TestInstallation()];
  after(async () => {
    await plain.close();
    await terminal.close();
  });

  it('is a log without secrets if it is not a terminal, whichever routes are called', async () => {
    const child = plain.start(['serve'], QUIET);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
      });
    await until(() => /listens on http:\S+/.test(output), 'it listens');
    const url = /listens on (http:\S+)/.exec(output)?.[1] ?? '';
    const file = join(plain.dataDir, 'admin-token');
    await until(() => output.includes('account link admin'), 'the first start is logged');
    assert.ok(output.includes(`its token is in ${file}`));
    assert.doesNotMatch(output, /Ctrl-C|curl/);

    const token = readFileSync(file, 'utf8').trim();
    const admin = new RapsheetClient({ url, token, retries: 0 });
    await admin.addService({ slug: 'ply' });
    const added = await admin.addAccount({
      name: 'alice',
      roles: ['researcher'],
      services: ['ply'],
    });
    const alice = new RapsheetClient({ url, token: added.token, retries: 0 });
    await alice.issueToken();
    const { link } = await admin.createAccountLink('alice');
    const browser = new RapsheetClient({ url, sameOrigin: true, retries: 0 });
    await browser.signIn({ link: new URL(link).hash.slice(1) });
    for (const path of [`/welcome/${link}`, `/session?link=${link.replace('#', '%23')}`])
      await fetch(url + path, { headers: { cookie: `rapsheet_session=${new URL(link).hash}` } });
    const { webhook } = await alice.addWebhook('ply', { url: 'https://desk.example.invalid/' });
    await alice.rotateWebhook('ply', webhook.id);
    await alice.createReport('ply', createBody() as Parameters<typeof alice.createReport>[1]);
    // Tokens in wrong positions: in a path, a header and a body.
    for (const path of [`/feed/${token}/api`, `/api/balance?token=${token}`, `/${token}`])
      await fetch(url + path, { headers: { authorization: token, 'x-request-id': token } });
    await fetch(`${url}/feed/ply/api`, {
      method: 'POST',
      headers: { authorization: added.token, 'content-type': 'application/json' },
      body: `{"${token}":"${token}"`,
    });
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
    assert.match(output, /"level":20/, 'debug lines are logged');
    assert.doesNotMatch(output, SECRET);
    const lines = output.trimEnd().split('\n');
    for (const line of lines) assert.equal(typeof JSON.parse(line).msg, 'string', line);
  });

  const hasScript = spawnSync('script', ['--version']).status === 0;
  const skip = hasScript ? false : 'script (util-linux) is not installed';

  it('contains the first token and a sign-in link on a terminal', { skip }, async () => {
    const command = `${process.execPath} ${ENTRY} serve`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: terminal.folder,
      env: {
        PATH: process.env['PATH'],
        // The compile cache saves half of the start.
        NODE_COMPILE_CACHE: join(tmpdir(), 'rapsheet-compile-cache'),
        ...terminal.settings,
        ...QUIET,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
    await until(() => output.includes('Stop with Ctrl-C'), 'the greeting is printed');
    const closed = once(child, 'close');
    // The terminal turns this byte into SIGINT.
    child.stdin.write('\x03');
    await closed;
    const token = readFileSync(join(terminal.dataDir, 'admin-token'), 'utf8').trim();
    assert.equal(output.split(token).length - 1, 1, 'once');
    assert.equal([...output.matchAll(/http:\S+\/welcome#ral_[\w-]{38}/g)].length, 1);
  });
});
