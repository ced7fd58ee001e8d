import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { fillStore } from '../../bench/fill.ts';
import { TestInstallation } from '../installation.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { HaltingProxy } from './halting-proxy.ts';

const COUNT = 3000;

describe('rapsheet migrate', () => {
  const installation = new TestInstallation();
  const file = join(installation.folder, 'rapsheet.db');
  let database: TestDatabase;
  before(async () => {
    fillStore(installation.folder, COUNT, () => undefined);
    // Those of the benchmarks are of files that nobody uploaded, which the doctor reports.
    const db = new DatabaseSync(file);
    db.exec('delete from proposal');
    db.close();
    database = await newDatabase();
  });
  after(async () => {
    await installation.close();
    await database.drop();
  });

  const migrate = (from: string, to: string) => ['migrate', '--from', from, '--to', to];

  /** Kills the process when the proxy has halted it. */
  async function killHalfway(words: readonly string[], way: HaltingProxy) {
    const child = installation.start(words);
    const exited = once(child, 'exit');
    child.stdout.resume();
    child.stderr.resume();
    await Promise.race([way.halted, exited]);
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    way.letGo();
  }

  it('moves to PostgreSQL, killed half-way and resumed', async (test) => {
    // One connection: the command waits for this answer before it gets each of its own.
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    test.after(() => client.end());
    const hasReports = async () => {
      const found = client.query("select 1 from moving where name = 'report'");
      // The move itself creates the table.
      return (await found.catch(() => ({ rows: [] }))).rows.length > 0;
    };
    const way = new HaltingProxy(database.url, hasReports);
    test.after(() => way.close());
    const words = migrate(`sqlite:${file}`, await way.open());
    await killHalfway(words, way);
    const refused = await installation.run(['service', 'list'], {
      settings: { RAPSHEET_DATABASE_URL: database.url },
    });
    assert.notEqual(refused.code, 0);
    const { code, stdout, stderr } = await installation.run(words);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Resuming the move that was started before\.\n/);
    assert.match(stdout, new RegExp(`^report +${COUNT} +[0-9a-f]{16} +same$`, 'm'));
    assert.ok(!stdout.includes('DIFFERENT'));
  });

  it('moves back, killed half-way and resumed, and the doctor finds no problem', async (test) => {
    const again = join(installation.folder, 'back', 'rapsheet.db');
    const size = statSync(file).size;
    const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const isHalf = () => sizeOf(again) + sizeOf(`${again}-wal`) > size / 3;
    const way = new HaltingProxy(database.url, isHalf);
    test.after(() => way.close());
    const words = migrate(await way.open(), `sqlite:${again}`);
    await killHalfway(words, way);
    const { code, stdout, stderr } = await installation.run([...words, '--json']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Resuming the move/);
    assert.equal(JSON.parse(stdout).isEqual, true);
    const settings = {
      RAPSHEET_DATA_DIR: join(installation.folder, 'back'),
      RAPSHEET_DATABASE_URL: `sqlite:${again}`,
    };
    const doctor = await installation.run(['doctor'], { settings });
    assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
    // Tokens are moved too: the digest of the store's first token is known.
    const read = (path: string, sql: string) => {
      const db = new DatabaseSync(path, { readOnly: true });
      const rows = db.prepare(sql).all();
      db.close();
      return rows;
    };
    for (const sql of [
      'select id, hex(digest) from token order by id',
      'select last_report, hex(secret) from installation',
    ])
      assert.deepEqual(read(again, sql), read(file, sql));
  });

  const refusals: readonly [title: string, words: () => readonly string[], message: RegExp][] = [
    [
      'an invalid URL',
      () => migrate(`sqlite:${file}`, 'mysql://root:pa55@localhost/x'),
      /--to must be sqlite:<file> or postgres:/,
    ],
    [
      'a missing source',
      () => migrate('sqlite:/nowhere/rapsheet.db', `sqlite:${join(installation.folder, 'new.db')}`),
      /there is no store at \/nowhere\/rapsheet.db/,
    ],
    [
      'an unreachable server',
      () => migrate(`sqlite:${file}`, 'postgres://me:pa55@127.0.0.1:1/x'),
      /cannot connect to PostgreSQL at me@127.0.0.1:1\/x: connect ECONNREFUSED/,
    ],
    ['the same store', () => migrate(`sqlite:${file}`, `sqlite:${file}`), /are the same store/],
    [
      'a target in use',
      () => migrate(`sqlite:${join(installation.folder, 'back', 'rapsheet.db')}`, database.url),
      /is not empty \(it was moved to another database\)/,
    ],
    [
      'a file that is no database',
      () => migrate(`sqlite:${installation.file('notes.txt', 'notes '.repeat(100))}`, database.url),
      /notes\.txt is not a store of Rapsheet: file is not a database/,
    ],
    [
      'an empty file',
      () =>
        migrate(
          `sqlite:${installation.file('empty.db', '')}`,
          `sqlite:${join(installation.folder, 'new.db')}`,
        ),
      /empty\.db is not a store of Rapsheet/,
    ],
    [
      'a folder',
      () =>
        migrate(`sqlite:${installation.folder}`, `sqlite:${join(installation.folder, 'new.db')}`),
      /cannot be locked: unable to open database file/,
    ],
  ];
  for (const [title, words, message] of refusals) {
    it(`refuses ${title} in one line, and changes nothing`, async () => {
      const { code, stdout, stderr } = await installation.run(words());
      assert.equal(code, ['an invalid URL', 'the same store'].includes(title) ? 2 : 1);
      assert.equal(stdout, '');
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.ok(!stderr.includes('pa55'));
      assert.ok(!existsSync(join(installation.folder, 'new.db')));
    });
  }

  it('refuses a user without the right to create tables, in one line', async () => {
    const other = await newDatabase();
    const user = `u${Math.random().toString(36).slice(2)}`;
    try {
      await other.run(`create role ${user} login password 'pa55'`);
      const url = Object.assign(new URL(other.url), { username: user, password: 'pa55' }).href;
      const { code, stderr } = await installation.run(migrate(`sqlite:${file}`, url));
      assert.equal(code, 1);
      assert.match(stderr, /may not make tables there/);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.ok(!stderr.includes('pa55'));
    } finally {
      await other.run(`drop role if exists ${user}`);
      await other.drop();
    }
  });

  it('closes the source, and opens it again on request', async () => {
    const list = () =>
      installation.run(['service', 'list', '--store'], {
        settings: { RAPSHEET_DATABASE_URL: `sqlite:${file}` },
      });
    const closed = await list();
    assert.equal(closed.code, 1);
    assert.match(closed.stderr, /this store was moved to another database/);
    const both = ['migrate', '--reopen', `sqlite:${file}`, '--from', `sqlite:${file}`];
    assert.equal((await installation.run(both)).code, 2);
    const { code, stderr } = await installation.run(['migrate', '--reopen', `sqlite:${file}`]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Servers can use the store again/);
    const open = await list();
    assert.equal(open.code, 0, open.stderr);
  });

  it('requires a source and a target', async () => {
    const { code, stderr } = await installation.run(['migrate', '--from', `sqlite:${file}`]);
    assert.equal(code, 2);
    assert.match(stderr, /--to is missing/);
  });
});
