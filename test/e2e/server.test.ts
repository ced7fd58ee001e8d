import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { greeting } from '../../src/cli/output/greeting.ts';
import { readConfig } from '../../src/config.ts';
import { onPostgres } from '../database.ts';
import { freePort } from '../free-port.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { countLookups } from './lookups.ts';
import { startServer } from './server-setup.ts';

describe('the running server', () => {
  let setup: Awaited<ReturnType<typeof startServer>>;
  before(async () => {
    setup = await startServer();
    await setup.admin.addService({ slug: 'ply' });
  });
  after(() => setup.installation.close());

  async function account(name: string, limit = 1000) {
    return setup.admin.addAccount({
      name,
      roles: ['researcher'],
      quota: { limit, period: 'none' },
    });
  }

  it('serves exactly the last 50 units to 200 concurrent lookups', async () => {
    const { token } = await account('fifty', 50);
    assert.deepEqual(await countLookups([setup.server.url], token, 200), { 404: 50, 429: 150 });
  });

  it('serves exactly the last 50 units to 200 concurrent lookups over two processes on one store', async () => {
    const { token } = await account('fifty over two', 50);
    const second = await setup.installation.server();
    assert.deepEqual(await countLookups([setup.server.url, second.url], token, 200), {
      404: 50,
      429: 150,
    });
    await second.end('SIGTERM');
  });

  it('creates its files with mode 0600 and its folder with 0700', () => {
    const modeOf = (name: string) => statSync(join(setup.installation.dataDir, name)).mode & 0o777;
    assert.deepEqual([modeOf('.'), modeOf('admin-token')], [0o700, 0o600]);
    if (!onPostgres) assert.equal(modeOf('rapsheet.db'), 0o600);
  });

  it('drains requests in flight on SIGTERM, then exits with 0', async () => {
    const { token } = await account('drained');
    const server = await setup.installation.server();
    const { port } = new URL(server.url);
    const body = JSON.stringify({ c2Address: 'evil.example:1', file256Hash: '0'.repeat(64) });
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST /feed/ply/api HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
    socket.setEncoding('utf8').write(head);
    // The server has read the head and waits for the body.
    await new Promise((resolve) => socket.once('data', resolve));
    const answer = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.on('close', () => resolve(text));
    });
    const ended = server.end('SIGTERM');
    socket.write(body);
    assert.match(await answer, /^HTTP\/1\.1 201 /);
    assert.equal(await ended, 0);
  });

  it('logs no tokens, not even at trace level', async () => {
    const { token } = await account('quiet');
    const installation = new TestInstallation();
    const child = installation.start(['serve'], {
      ...setup.installation.settings,
      RAPSHEET_PORT: '0',
      RAPSHEET_METRICS_PORT: '0',
      RAPSHEET_LOG_LEVEL: 'trace',
    });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      log += part;
    });
    const [, url] = await waitForOutput(child, /listens on (http:\S+)/);
    for (const header of [token, `Bearer ${token}`, `Basic ${btoa(`:${token}`)}`, `${token}x`]) {
      await (await fetch(`${url}/api/balance`, { headers: { authorization: header } })).text();
    }
    await (await fetch(`${url}/api/balance`, { headers: { 'x-api-key': token } })).text();
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
    assert.match(log, /"answered"/);
    for (const secret of [token, token.slice(4, 30), btoa(`:${token}`)])
      assert.ok(!log.includes(secret));
    await installation.close();
  });

  it('uses the admin token of the settings, and then writes no token file', async () => {
    const installation = new TestInstallation();
    const { stdout } = await installation.run(['token', 'generate']);
    const token = stdout.trim();
    const server = await installation.server({ RAPSHEET_ADMIN_TOKEN: token });
    const answer = await fetch(`${server.url}/admin/services`, {
      headers: { authorization: token },
    });
    assert.equal(answer.status, 200);
    assert.equal(existsSync(join(installation.dataDir, 'admin-token')), false);
    await installation.close();
  });

  it('names every invalid setting, and creates nothing', async () => {
    const installation = new TestInstallation();
    const { code, stderr } = await installation.runAlone(['serve'], {
      settings: {
        RAPSHEET_PORT: 'http',
        RAPSHEET_ADMIN_TOKEN: 'secret',
        RAPSHEET_BASE_URL: 'ftp://x',
      },
    });
    assert.equal(code, 78);
    for (const name of ['RAPSHEET_PORT', 'RAPSHEET_ADMIN_TOKEN', 'RAPSHEET_BASE_URL']) {
      assert.match(stderr, new RegExp(`${name} must be`));
    }
    assert.equal(existsSync(installation.dataDir), false);
    await installation.close();
  });

  it('exits with one line when its port is in use', async () => {
    const { port } = new URL(setup.server.url);
    const installation = new TestInstallation();
    const { code, stderr } = await installation.runAlone(['serve'], {
      settings: { RAPSHEET_PORT: port, RAPSHEET_METRICS_PORT: '0' },
    });
    assert.equal(code, 1);
    assert.match(stderr, /is in use by another program: set RAPSHEET_PORT/);
    await installation.close();
  });

  it('names a host on which it cannot listen, and variables that are not settings', async () => {
    const installation = new TestInstallation();
    const { code, stderr } = await installation.runAlone(['serve'], {
      settings: { RAPSHEET_HOST: 'a..b', RAPSHEET_PROT: '80', RAPSHEET_HOST_FILE: '/x' },
    });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^rapsheet serve: RAPSHEET_HOST a\.\.b is not an address of this machine$/m,
    );
    const [warning] = stderr.split('\n');
    const { level, variables } = JSON.parse(warning ?? '');
    assert.deepEqual([level, variables], [40, ['RAPSHEET_HOST_FILE', 'RAPSHEET_PROT']]);
    await installation.close();
  });

  it('serves metrics on a separate port, and starts without them if that is in use', async () => {
    const installation = new TestInstallation();
    const port = String(await freePort());
    const one = await installation.server({ RAPSHEET_METRICS_PORT: port });
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, /rapsheet_http_request_seconds/);
    const two = await installation.server({ RAPSHEET_METRICS_PORT: port });
    assert.equal((await fetch(`${two.url}/readyz`)).status, 200);
    assert.equal((await fetch(`${one.url}/metrics`)).status, 404);
    await installation.close();
  });

  it('shows example commands at its first start that work when pasted', async () => {
    const installation = new TestInstallation();
    const { url } = await installation.server({ RAPSHEET_ANALYSIS_WORKERS: '1' });
    const config = readConfig({ RAPSHEET_DATA_DIR: installation.dataDir });
    const lines = greeting(url, config, { link: url })
      .split('\n')
      .filter((line) => /^ {2}(curl|[A-Z]+=)/.test(line));
    assert.equal(lines.length, 7);
    const shell = installation.file('paste.sh', lines.map((line) => `${line}\necho`).join('\n'));
    const { execFileSync } = await import('node:child_process');
    const answers = execFileSync('sh', [shell], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    assert.equal(answers[0].service.slug, 'tryout');
    assert.equal(answers[1].report.c2Address, 'tunnel.tryout.example:4444');
    assert.equal(answers[2].fileName, 'first.txt');
    assert.equal(answers[3].success, true);
    assert.ok(readFileSync(join(installation.dataDir, 'admin-token'), 'utf8').startsWith('rap_'));
    await installation.close();
  });
});
