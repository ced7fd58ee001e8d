import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';

const UNKNOWN_ID = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';

describe('rapsheet login', () => {
  const installation = new TestInstallation();
  const tokens: Record<string, string> = {};
  let url: string;
  let host: string;
  let configs = 0;
  let settings: Record<string, string>;
  before(async () => {
    url = await installation.serve();
    host = new URL(url).host;
    await installation.json('service', 'add', 'ply');
    for (const name of ['alice', 'bob']) {
      const words = ['account', 'add', name, '--researcher', '--service', 'ply', '--quota', '30'];
      tokens[name] = (await installation.json(...words)).token;
    }
  });
  beforeEach(() => {
    configs += 1;
    settings = { RAPSHEET_CONFIG_DIR: join(installation.folder, `config-${configs}`) };
  });
  after(() => installation.close());

  const run = (words: readonly string[], input = '', more: Record<string, string> = {}) =>
    installation.run(words, { input, settings: { ...settings, ...more } });
  const done = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await run(words);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const refused = async (code: number, words: readonly string[], input = '') => {
    const outcome = await run(words, input);
    assert.deepEqual([outcome.code, outcome.stdout], [code, ''], outcome.stderr);
    for (const token of Object.values(tokens)) assert.ok(!outcome.stderr.includes(token));
    return outcome.stderr;
  };
  const login = async (name: string, ...words: readonly string[]) => {
    const { code, stdout, stderr } = await run(['login', '--url', url, ...words], tokens[name]);
    assert.equal(code, 0, stderr);
    assert.ok(!stdout.includes(tokens[name] ?? '?'));
    return stdout;
  };
  const profilesFile = () => join(settings['RAPSHEET_CONFIG_DIR'] ?? '', 'profiles.json');

  it('stores the address, the token and the account, for later commands', async () => {
    const shown = await login('alice');
    assert.match(shown, new RegExp(`^Signed in as alice at ${url}, profile ${host}\\.\n`));
    assert.equal(statSync(profilesFile()).mode & 0o777, 0o600);
    assert.match(await done('balance'), /^lookups left +30$/m);
    assert.deepEqual(JSON.parse(await done('profile', 'list', '--json')), {
      profiles: [{ name: host, account: 'alice', url, default: true }],
    });
  });

  it('takes the token from a file, and from standard input as a file', async () => {
    const file = installation.file('alice-token', `${tokens['alice']}\n`);
    const words = ['login', '--url', url, '--token-file'];
    assert.match(await done(...words, file), /^Signed in as alice/);
    const { stdout } = await run([...words, '-', '--json', '--profile', 'b'], tokens['bob']);
    assert.deepEqual(JSON.parse(stdout), {
      profile: 'b',
      url,
      account: 'bob',
      roles: ['researcher'],
      default: false,
    });
  });

  it('stores nothing if the server does not accept the token, or does not answer', async () => {
    const words = ['login', '--url', url];
    const { token } = await installation.json('token', 'generate');
    const unknown = await refused(4, words, token);
    assert.match(unknown, /^rapsheet login: .* \(at http:\S+, token from standard input\)$/m);
    assert.ok(!unknown.includes(token));
    assert.match(await refused(4, words, 'hunter2'), /this is not a token(?!.*hunter2)/);
    assert.match(await refused(4, words), /there is no token/);
    assert.match(await refused(2, ['login', '--url', host]), /--url must begin with http:\/\//);
    await refused(2, [...words, '--profile', 'my profile'], tokens['alice']);
    await refused(6, ['login', '--url', 'http://127.0.0.1:9'], tokens['alice']);
    assert.ok(!existsSync(profilesFile()));
  });

  it('keeps several profiles, of which one is the default', async () => {
    await login('alice');
    assert.match(await login('bob', '--profile', 'second'), /Use it with --profile second/);
    assert.match(await done('whoami'), /^account +alice$/m);
    assert.match(await done('whoami', '--profile', 'second'), /^account +bob$/m);
    const { stdout } = await run(['whoami'], '', { RAPSHEET_PROFILE: 'second' });
    assert.match(stdout, /^account +bob$/m);
    assert.match(await done('profile', 'use', 'second'), /as bob by default/);
    assert.match(await done('whoami'), /^account +bob$/m);
    assert.match(await done('profile', 'list'), /^second +bob +http:\S+ +yes$/m);
    assert.match(await done('logout'), /^Removed profile second .*\nThere is no default profile/);
    assert.match(await refused(4, ['whoami']), /sign in with `rapsheet login`/);
    assert.match(await refused(3, ['logout', '--profile', 'second']), /no profile second/);
    assert.match(await refused(3, ['profile', 'use', 'second']), /no profile second/);
    assert.match(
      await refused(4, ['usage', 'show', '--balance', '--profile', 'second']),
      /no profile second/,
    );
    await done('logout', '--profile', host);
    assert.ok(!readFileSync(profilesFile(), 'utf8').includes('rap_'));
  });

  it('replaces the token of the same account, but not that of another', async () => {
    await login('alice');
    const { token } = await installation.json('token', 'issue', 'alice');
    // Without an address: that of the default profile.
    assert.equal((await run(['login'], token)).code, 0);
    assert.ok(readFileSync(profilesFile(), 'utf8').includes(token));
    const other = await refused(1, ['login', '--url', url], tokens['bob']);
    assert.match(other, /profile \S+ is alice at .*`rapsheet logout --profile /);
    assert.match(await done('whoami'), /^account +alice$/m);
  });

  it('never sends the token to another origin', async () => {
    await login('alice');
    const stderr = await refused(4, ['usage', 'show', '--balance', '--url', 'http://127.0.0.1:9']);
    assert.match(stderr, /the token of profile \S+ is for \S+ and is not sent to/);
  });

  it('shows who is signed in, and where', async () => {
    await login('alice', '--profile', 'work');
    const shown = await done('whoami');
    assert.match(shown, /^roles +researcher$/m);
    assert.match(shown, /^owns +ply$/m);
    assert.match(shown, /^lookups +30 left of 30 a day, next reset 20/m);
    assert.match(shown, new RegExp(`^server +${url}$`, 'm'));
    assert.match(shown, /^credentials +from profile work$/m);
    const me = JSON.parse(await done('whoami', '--json'));
    assert.deepEqual([me.name, me.server, me.profile], ['alice', url, 'work']);
    assert.equal(me.services[0].slug, 'ply');
  });

  it('shows the token of a server that tells about it', async () => {
    const token = { id: UNKNOWN_ID, label: 'laptop', hint: 'rap_3f2a…', expiresAt: null };
    const quota = { limit: null, period: 'day', remaining: null, resetsAt: null };
    const me = { name: 'zoe', roles: [], services: [], quota, expiresAt: null, token };
    const server = createServer((_, response) =>
      response.setHeader('connection', 'close').end(JSON.stringify({ ...me, successful: true })),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { stdout } = await run(['whoami', '--url', `http://127.0.0.1:${port}`], '', {
      RAPSHEET_TOKEN: tokens['alice'] ?? '',
    });
    server.close();
    assert.match(stdout, /^token +laptop \(rap_3f2a…\)$/m);
    assert.match(stdout, /^token expires +never$/m);
    assert.match(stdout, /^lookups +unlimited$/m);
    assert.match(stdout, /^owns +no feeds$/m);
  });

  it('makes refusals name the account and where its token comes from', async () => {
    await login('alice', '--profile', 'work');
    const words = ['report', 'show', 'ply', UNKNOWN_ID];
    assert.match(
      await refused(3, words),
      new RegExp(`in this feed\\. \\(as alice at ${url}, from profile work\\)\n$`),
    );
    const other = await run(words, '', { RAPSHEET_TOKEN: tokens['bob'] ?? '' });
    assert.match(other.stderr, /\(as bob at http:\S+, token from RAPSHEET_TOKEN\)\n$/);
    const file = installation.file('bob-token', tokens['bob'] ?? '');
    assert.ok(
      (await refused(3, [...words, '--token-file', file])).endsWith(
        `(as bob at ${url}, token from ${file})\n`,
      ),
    );
    const { token, id } = await installation.json('token', 'issue', 'bob');
    await installation.json('token', 'revoke', id);
    const revoked = await run(['usage', 'show', '--balance'], '', { RAPSHEET_TOKEN: token });
    assert.equal(revoked.code, 4);
    assert.match(revoked.stderr, /\(at http:\S+, token from RAPSHEET_TOKEN\)\n$/);
    assert.ok(!revoked.stderr.includes(token));
  });

  it('makes `service list` list those of the server, unless the store is asked for', async () => {
    const storeMember = async (...words: readonly string[]) => {
      const { services } = JSON.parse(await done('service', 'list', '--json', ...words));
      assert.equal(services[0].slug, 'ply');
      return 'mail' in services[0];
    };
    assert.equal(await storeMember(), true);
    await login('alice');
    assert.equal(await storeMember(), false);
    assert.equal(await storeMember('--profile', host), false);
    assert.equal(await storeMember('--store'), true);
    const { stderr } = await run(['service', 'list']);
    assert.match(stderr, /^Services of http:\S+; --store lists those of the store\.\n$/);
    assert.match(await refused(2, ['service', 'list', '--store', '--url', url]), /exclude/);
  });
});
