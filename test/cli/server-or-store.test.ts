import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TestInstallation } from '../installation.ts';
import { owner, type Settings } from './feed-setup.ts';

describe('a command that works on a server or on the store', () => {
  const installation = new TestInstallation();
  let url: string;
  let alice: Settings;
  let admin: Settings;
  before(async () => {
    url = await installation.serve();
    alice = await owner(installation, url, 'alice', 'ply');
    const { token } = await installation.json('account', 'add', 'operator', '--admin');
    admin = { RAPSHEET_URL: url, RAPSHEET_TOKEN: token };
  });
  after(() => installation.close());

  const run = (words: string, settings: Settings = {}) =>
    installation.run(words.split(' '), { settings });

  it('uses the store if nothing names a server, and with --store', async () => {
    const store = await run('token list alice --output raw');
    assert.deepEqual([store.code, store.stderr], [0, '']);
    assert.deepEqual(await run('token list alice --output raw --store', admin), store);
    const server = await run('token list alice --output raw', admin);
    assert.equal(server.code, 0);
    assert.equal(server.stderr, `Tokens of alice at ${url}; --store lists those of the store.\n`);
    assert.match(server.stdout, new RegExp(`^${store.stdout.split('\t')[0]}\t`));
  });

  it('asks the server as an administrator for another account, and refuses others', async () => {
    for (const words of ['token issue alice', 'usage show alice', 'session end alice']) {
      const asked = await run(words, admin);
      assert.equal(asked.code, 0, asked.stderr);
      assert.match(asked.stderr, new RegExp(`alice at ${url}`));
      assert.equal((await run(words, alice)).code, 4, words);
      assert.equal((await run(`${words} --store`, alice)).code, 0, words);
    }
    assert.equal((await run('service list --overlaps', admin)).code, 0);
    assert.equal((await run('service list --overlaps', alice)).code, 4);
  });

  it('is about the caller without an account, whom only a server knows', async () => {
    for (const words of ['token list', 'token issue', 'usage show', 'session end']) {
      assert.equal((await run(words, alice)).code, 0, words);
      assert.equal((await run(words)).code, 4, words);
      assert.equal((await run(`${words} --store`)).code, 2, words);
    }
    assert.equal((await run('usage show alice --balance', alice)).code, 2);
  });

  it('revokes the tokens of others only in the store', async () => {
    const { id } = await installation.json('token', 'issue', 'alice');
    const foreign = await run(`token revoke ${id}`, admin);
    assert.equal(foreign.code, 3);
    assert.match(
      foreign.stderr,
      /^Not a token of yours at .*; --store revokes any in the store\.$/m,
    );
    assert.equal((await run(`token revoke ${id} --store`, admin)).code, 0);
  });

  it('shows of a service what each of them knows', async () => {
    const store = await run('service show ply');
    assert.match(store.stdout, /^mail +none$/m);
    assert.doesNotMatch(store.stdout, /^open reports/m);
    assert.match((await run('service show ply', alice)).stdout, /^open reports +0$/m);
    assert.equal((await run('service show nope')).code, 3);
    assert.equal((await run('service show ply --mail', alice)).code, 0);
    assert.equal((await run('service show ply --mail --store')).code, 2);
    assert.equal((await run('service show ply --output csv')).code, 2);
  });

  it('refuses --store together with a server', async () => {
    const { code, stderr } = await run(`service list --store --url ${url}`);
    assert.equal(code, 2);
    assert.match(stderr, /--store and --url exclude each other/);
  });

  it('removes a report from the store only with --store, and needs a reason there', async () => {
    const id = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';
    assert.equal((await run(`report remove ply ${id}`)).code, 4);
    assert.equal((await run(`report remove ply ${id} --reason law`, alice)).code, 2);
    assert.equal((await run(`report remove --store ${id}`)).code, 2);
    assert.equal((await run(`report remove --store ply ${id} --reason law`)).code, 2);
    assert.equal((await run(`report remove --store ${id} --reason law`)).code, 3);
  });
});
