import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { groups } from '../../src/cli/commands/index.ts';
import { allCommands } from '../../src/cli/help/find.ts';
import { onlyOnSqlite } from '../database.ts';
import { TestInstallation } from '../installation.ts';

const ID = '0192f6c1-7d4e-7c3a-9b1d-3f2a5c6e7d80';
const HASH = 'ab'.repeat(32);

/** A valid command line for each command that needs a store. */
const NEED_A_STORE: readonly (readonly string[])[] = [
  ['service', 'list'],
  ['service', 'list', '--store'],
  ['service', 'list', '--overlaps'],
  ['service', 'show', 'ply'],
  ['service', 'set', 'ply', '--name', 'Ply'],
  ['account', 'link', 'alice'],
  ['account', 'list'],
  ['account', 'show', 'alice'],
  ['usage', 'show', 'alice'],
  ['account', 'set', 'alice', '--admin'],
  ['session', 'end', 'alice'],
  ['token', 'issue', 'alice'],
  ['token', 'list', 'alice'],
  ['token', 'revoke', ID],
  ['sample', 'failed'],
  ['sample', 'analyse', HASH],
  ['report', 'remove', '--store', ID, '--reason', 'law'],
  ['sample', 'remove', HASH, '--reason', 'law'],
  ['audit', 'list'],
  ['doctor'],
  ['doctor', '--quick', '--recount'],
  ['doctor', '--repair'],
  ['upgrade'],
  ['clock', 'confirm'],
  ['backup', './copy'],
];

/** They create a store, or use none. */
const OTHERS = [
  ...['serve', 'worker', 'demo', 'analyse', 'restore', 'migrate', 'help', 'version', 'completion'],
  ...['login', 'logout', 'profile list', 'profile use', 'token generate'],
  ...['service add', 'account add', 'sample import'],
];

/** The commands that call no server, and those that also work on the store. */
const usingStore = (await Promise.all(allCommands(groups).map(({ load }) => load()))).filter(
  ({ options = {} }) => !Object.hasOwn(options, 'url') || Object.hasOwn(options, 'store'),
);

describe('commands on a store that does not exist', onlyOnSqlite('it is a file'), () => {
  let installation: TestInstallation;
  before(() => {
    installation = new TestInstallation();
  });
  after(() => installation.close());

  it('are all tested here', () => {
    const names = usingStore.map(({ name }) => name);
    const untested = names.filter(
      (name) =>
        !OTHERS.includes(name) &&
        !NEED_A_STORE.some((words) => `${words.join(' ')} `.startsWith(`${name} `)),
    );
    assert.deepEqual(untested, []);
  });

  for (const words of NEED_A_STORE)
    it(`${words.join(' ')} names the folder and the setting, and creates nothing`, async () => {
      const used = join(installation.folder, 'used');
      mkdirSync(used, { recursive: true });
      writeFileSync(join(used, 'notes.txt'), 'notes');
      for (const dataDir of [join(installation.folder, 'absent', 'data'), used]) {
        const before = readdirSync(installation.folder);
        const settings = { RAPSHEET_DATA_DIR: dataDir };
        const { code, stdout, stderr } = await installation.run(words, { settings });
        assert.deepEqual([code, stdout], [1, '']);
        const expected = `there is no store in ${dataDir}: set RAPSHEET_DATA_DIR to the folder of your store`;
        assert.ok(stderr.includes(expected), stderr);
        assert.deepEqual(readdirSync(installation.folder), before);
        assert.deepEqual(readdirSync(used), ['notes.txt']);
      }
    });

  it('name the setting of the database if it is not in the data folder', async () => {
    const file = join(installation.folder, 'other.db');
    const settings = { RAPSHEET_DATABASE_URL: `sqlite:${file}` };
    const { code, stderr } = await installation.run(['account', 'list'], { settings });
    assert.equal(code, 1);
    assert.ok(stderr.includes(`no store in ${file}: set RAPSHEET_DATABASE_URL to the database`));
    assert.ok(!existsSync(file) && !existsSync(installation.dataDir));
  });

  it('leave an empty file and the database of another program as they are', async () => {
    const file = join(installation.folder, 'foreign.db');
    const settings = { RAPSHEET_DATABASE_URL: `sqlite:${file}` };
    const refused = async () => {
      const { code, stderr } = await installation.run(['account', 'list'], { settings });
      assert.equal(code, 1);
      assert.match(stderr, /there is no store in/);
    };
    writeFileSync(file, '');
    await refused();
    const db = new DatabaseSync(file);
    db.exec('create table mine (id integer)');
    await refused();
    const tables = db.prepare('select name from sqlite_schema').all();
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['mine'],
    );
    db.close();
  });
});
