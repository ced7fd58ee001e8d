import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';
import { DnsServer } from '../outgoing/dns-server.ts';
import { Receiver } from '../outgoing/receiver.ts';
import { owner, type Settings } from './feed-setup.ts';

/** A real server, whose settings lead to a name server and a web server of this test. */
describe('the ownership commands', () => {
  const installation = new TestInstallation();
  const names = new DnsServer();
  const web = new Receiver(false);
  let settings: Settings;
  let challenge: string;
  const run = (...words: string[]) => installation.run(['service', ...words], { settings });

  before(async () => {
    await Promise.all([names.listen(), web.listen()]);
    names.answers.set('A files.example', { records: ['127.0.0.1'] });
    const { url } = await installation.server({
      RAPSHEET_DNS_RESOLVER: names.address,
      RAPSHEET_WELL_KNOWN_PORT: String(web.port),
      RAPSHEET_WEBHOOK_ALLOW_HTTP: '1',
      RAPSHEET_WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    });
    settings = await owner(installation, url, 'alice', 'ply');
    const hosts = ['*.ply.example', 'files.example', 'gone.example'];
    const options = hosts.flatMap((host) => ['--host', host]);
    const set = ['service', 'set', 'ply', ...options, '--network', '192.0.2.0/24'];
    assert.equal((await installation.run(set)).code, 0);
  });
  after(async () => {
    await installation.close();
    await Promise.all([names.close(), web.close()]);
  });

  it('show what to publish', async () => {
    const { code, stdout } = await run('show', 'ply', '--ownership');
    assert.equal(code, 0);
    assert.match(stdout, /^\*\.ply\.example +declared +- +- +- +-$/m);
    assert.match(stdout, /^192\.0\.2\.0\/24 +declared .*it stays declared\.$/m);
    [challenge = ''] = /rapsheet-verification=[\w-]{32}/.exec(stdout) ?? [];
    assert.ok(stdout.includes(`_rapsheet.ply.example  "${challenge}"`));
    assert.ok(stdout.includes('https://ply.example/.well-known/rapsheet'));
  });

  it('check a record through the configured name server', async () => {
    names.txt('_rapsheet.ply.example', challenge);
    const { code, stdout } = await run('check', 'ply', '*.ply.example', '--method', 'dns');
    assert.equal(code, 0);
    assert.match(stdout, /^\*\.ply\.example +verified +dns +20/m);
    const again = await run('check', 'ply', '*.ply.example', '--method', 'dns');
    assert.equal(again.code, 5);
    assert.match(again.stderr, /checked a moment ago: wait \d+ s/);
  });

  it('check a file at the configured port', async () => {
    web.answer = (response) => response.end(`${challenge}\n`);
    const { code, stdout } = await run('check', 'ply', 'files.example', '--method', 'http');
    assert.equal(code, 0);
    assert.match(stdout, /^files\.example +verified +http /m);
    assert.equal(web.received[0]?.headers.host, `files.example:${web.port}`);
  });

  it('fail for a host that is not proven', async () => {
    const { code, stderr } = await run('check', 'ply', 'gone.example', '--method', 'dns');
    assert.equal(code, 1);
    assert.match(stderr, /gone\.example is not proven: _rapsheet\.gone\.example has no TXT record/);
    assert.equal((await run('check', 'ply', 'gone.example')).code, 2);
    assert.equal((await run('check', 'ply', 'no.example', '--method', 'dns')).code, 3);
  });

  it('add a column to the list of services', async () => {
    const { stdout } = await installation.run(['service', 'list'], { settings });
    assert.match(stdout, /^SLUG +NAME +SCALE +HOSTS +VERIFIED +NETWORKS/);
    assert.match(stdout, / \*\.ply\.example files\.example +192\.0\.2\.0\/24/);
  });
});
