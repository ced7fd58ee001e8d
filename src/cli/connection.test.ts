import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigError } from '../config/environment.ts';
import { readClientConfig } from '../config.ts';
import { formatToken } from '../domain/accounts/token.ts';
import { CommandError, EXIT } from './command.ts';
import { findConnection, namesServer } from './connection.ts';
import { ProfileFile } from './credentials/profiles.ts';

const LOCAL = 'http://127.0.0.1:8080';
const REMOTE = 'https://abuse.example/rapsheet';
const tokenOf = (byte: number) => formatToken(new Uint8Array(24).fill(byte));
const [ADMIN, OWN, WORK, HOME] = [tokenOf(1), tokenOf(2), tokenOf(3), tokenOf(4)];

describe('the connection of a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-connection-'));
  const ownFile = join(folder, 'own-token');
  const withProfiles = { RAPSHEET_CONFIG_DIR: folder, RAPSHEET_DATA_DIR: folder };
  const withoutProfiles = { ...withProfiles, RAPSHEET_CONFIG_DIR: join(folder, 'none') };
  before(async () => {
    writeFileSync(join(folder, 'admin-token'), `${ADMIN}\n`);
    writeFileSync(ownFile, `${OWN}\n`);
    await new ProfileFile(folder).write({
      selected: 'work',
      byName: new Map([
        ['work', { url: REMOTE, token: WORK, account: 'alice' }],
        ['home', { url: LOCAL, token: HOME, account: 'bob' }],
      ]),
    });
  });
  after(() => rmSync(folder, { recursive: true }));

  const find = (options: Record<string, string>, settings: Record<string, string> = {}) =>
    findConnection({ options }, readClientConfig({ ...withProfiles, ...settings }));
  const refused = (
    options: Record<string, string>,
    settings: Record<string, string>,
    exitCode: number,
  ) => {
    let message = '';
    assert.throws(
      () => findConnection({ options }, readClientConfig(settings)),
      (error) => {
        message = (error as Error).message;
        return error instanceof CommandError && error.exitCode === exitCode;
      },
    );
    return message;
  };

  it('is the default profile, or the one that an option or a setting names', () => {
    assert.deepEqual(find({}), {
      url: REMOTE,
      token: WORK,
      source: 'from profile work',
      profile: 'work',
      account: 'alice',
    });
    const settings = { RAPSHEET_PROFILE: 'home' };
    assert.deepEqual([find({}, settings).url, find({}, settings).token], [LOCAL, HOME]);
    assert.equal(find({ profile: 'work' }, settings).token, WORK);
  });

  it('takes the token of an option, then of a setting, before that of the profile', () => {
    const settings = { RAPSHEET_TOKEN: ADMIN };
    const { token, url, source, account } = find({}, settings);
    assert.deepEqual([token, url, account], [ADMIN, REMOTE, undefined]);
    assert.equal(source, 'token from RAPSHEET_TOKEN');
    assert.equal(find({ 'token-file': ownFile }, settings).token, OWN);
    assert.equal(
      find({}, { RAPSHEET_TOKEN_FILE: ownFile }).source,
      'token from RAPSHEET_TOKEN_FILE',
    );
  });

  it('takes the address of an option, then of a setting, before that of the profile', () => {
    const settings = { RAPSHEET_URL: 'https://abuse.example', RAPSHEET_TOKEN: OWN };
    assert.equal(find({}, settings).url, 'https://abuse.example');
    assert.equal(find({ url: 'http://localhost:1/' }, settings).url, 'http://localhost:1');
    assert.equal(
      findConnection({ options: {} }, readClientConfig({ ...withoutProfiles, RAPSHEET_TOKEN: OWN }))
        .url,
      LOCAL,
    );
  });

  it('reads no profile if address and token are given', () => {
    const damaged = join(folder, 'damaged');
    mkdirSync(damaged, { recursive: true });
    writeFileSync(join(damaged, 'profiles.json'), '');
    chmodSync(join(damaged, 'profiles.json'), 0o644);
    const settings = { RAPSHEET_CONFIG_DIR: damaged, RAPSHEET_URL: LOCAL };
    assert.equal(find({}, { ...settings, RAPSHEET_TOKEN: OWN }).profile, undefined);
    assert.match(refused({}, settings, EXIT.denied), /other users may read/);
  });

  it('never sends the token of a profile to another origin', () => {
    for (const url of ['http://abuse.example', 'https://abuse.example:444', LOCAL]) {
      const message = refused({ url }, withProfiles, EXIT.denied);
      assert.match(message, /the token of profile work is for https:\/\/abuse\.example/);
      assert.ok(message.includes(`rapsheet login --url ${url}`));
      refused({}, { ...withProfiles, RAPSHEET_URL: url }, EXIT.denied);
    }
    assert.equal(find({ url: 'https://abuse.example/other' }).token, WORK);
  });

  it('never has the admin token by itself: without a token the error says what to do', () => {
    const message = refused({}, withoutProfiles, EXIT.denied);
    assert.match(
      message,
      /there is no token for http:\/\/127\.0\.0\.1:8080: sign in with `rapsheet login`/,
    );
    assert.ok(message.includes(`rapsheet login --token-file ${join(folder, 'admin-token')}`));
    const other = refused({ url: 'https://other.example' }, withoutProfiles, EXIT.denied);
    assert.match(other, /rapsheet login --url https:\/\/other\.example/);
    assert.doesNotMatch(other, /admin-token/);
  });

  it('names a profile that does not exist', () => {
    assert.match(refused({ profile: 'play' }, withProfiles, EXIT.denied), /no profile play/);
    refused({}, { ...withProfiles, RAPSHEET_PROFILE: 'play' }, EXIT.denied);
  });

  it('says that an address lacks its scheme', () => {
    for (const url of ['127.0.0.1:8080', 'localhost:8080', 'abuse.example', '[::1]:80/x'])
      assert.equal(
        refused({ url }, withoutProfiles, EXIT.usage),
        `--url must begin with http:// or https://, such as http://${url}`,
      );
    for (const url of ['ftp://abuse.example', 'http://', 'https://me:secret@abuse.example', ''])
      assert.match(refused({ url }, withoutProfiles, EXIT.usage), /^--url must be[^@]*$/);
  });

  it('is not read from a missing file or from one without a token', () => {
    const other = join(folder, 'other');
    writeFileSync(other, 'hunter2');
    for (const file of [other, join(folder, 'absent')])
      assert.doesNotMatch(refused({ 'token-file': file }, withProfiles, EXIT.denied), /hunter2/);
    assert.match(refused({ 'token-file': '-' }, withProfiles, EXIT.usage), /must be a file/);
  });

  it('is given by an option, a setting or the default profile', () => {
    const given = (options: Record<string, string>, settings: Record<string, string>) =>
      namesServer({ options }, readClientConfig(settings));
    assert.equal(given({}, withoutProfiles), false);
    assert.equal(given({}, { ...withoutProfiles, RAPSHEET_TOKEN: OWN }), true);
    assert.equal(given({ url: LOCAL }, withoutProfiles), true);
    assert.equal(given({}, { ...withoutProfiles, RAPSHEET_URL: LOCAL }), true);
    assert.equal(given({}, withProfiles), true);
  });
});

describe('the settings of commands that call a server', () => {
  it('take the URL and the token from the environment', () => {
    const { url, token } = readClientConfig({
      RAPSHEET_URL: 'https://abuse.example/',
      RAPSHEET_TOKEN: OWN,
    });
    assert.equal(url, 'https://abuse.example');
    assert.equal(token, OWN);
  });

  it('refuse an invalid token without quoting it', () => {
    assert.throws(
      () => readClientConfig({ RAPSHEET_TOKEN: 'hunter2' }),
      (error) =>
        error instanceof ConfigError &&
        error.message.startsWith('RAPSHEET_TOKEN ') &&
        !error.message.includes('hunter2'),
    );
  });

  it('place the profiles where the XDG specification says', () => {
    const folderOf = (environment: Record<string, string>) =>
      readClientConfig(environment).configDir;
    assert.equal(folderOf({ HOME: '/home/a' }), '/home/a/.config/rapsheet');
    const xdg = { HOME: '/home/a', XDG_CONFIG_HOME: '/x' };
    assert.equal(folderOf(xdg), '/x/rapsheet');
    assert.equal(folderOf({ ...xdg, XDG_CONFIG_HOME: 'x' }), '/home/a/.config/rapsheet');
    assert.equal(folderOf({ ...xdg, RAPSHEET_CONFIG_DIR: '/y' }), '/y');
  });
});
