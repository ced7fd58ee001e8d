import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { readMigrations } from '../../src/storage/migrate.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { openDatabase } from '../../src/storage/sqlite/open.ts';
import { TestInstallation, waitForOutput } from '../installation.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { until } from '../until.ts';

const databases: TestDatabase[] = [];
let fresh: TestDatabase;
before(async () => {
  fresh = await emptyDatabase();
  await migrate(fresh);
});
after(async () => {
  for (const database of databases) await database.drop();
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await newDatabase();
  databases.push(database);
  return database;
}

async function migrate({ url }: TestDatabase): Promise<void> {
  const { pools } = await openPostgres(url, 4);
  await pools.end();
}

const namesOf = (dialect: 'sqlite' | 'postgres') => readMigrations(dialect).map(({ name }) => name);

/** The types of PostgreSQL with the types of SQLite that rows have in both. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'integer',
  text: 'text',
  'timestamp with time zone': 'text',
  bytea: 'blob',
};

/** `table.column type required`, sorted. */
type Columns = readonly string[];

function columnsOfSqlite(): Columns {
  const db = openDatabase(':memory:');
  const rows = db
    .prepare(
      `select listed.name || '.' || info.name || ' ' || lower(info.type)
        || iif(info."notnull" or info.pk, ' required', '') as description
      from pragma_table_list as listed join pragma_table_info(listed.name) as info
      where listed.schema = 'main' and listed.type = 'table' and listed.name not glob 'sqlite_*'`,
    )
    .all();
  db.close();
  return rows.map(({ description }) => String(description)).sort();
}

async function columnsOfPostgres(database: TestDatabase): Promise<Columns> {
  const rows = await database.run(
    `select table_name || '.' || column_name as name, data_type as type, is_nullable = 'NO' as required
    from information_schema.columns where table_schema = 'public'`,
  );
  return rows
    .map(({ name, type, required }) => {
      const known = TYPES[String(type)] ?? type;
      return `${name} ${known}${required === true ? ' required' : ''}`;
    })
    .sort();
}

/** On PostgreSQL jobs are in the schema of pg-boss, and a sequence numbers the reports. */
const ON_SQLITE_ALONE = /^(?:job\.|installation\.last_report )/;
/** Virtual tables on SQLite. */
const ON_POSTGRES_ALONE = /^(?:term_text|sample_text)\./;

describe('the two databases', () => {
  it('have migrations of the same names', () => {
    assert.deepEqual(namesOf('postgres'), namesOf('sqlite'));
  });

  it('end with the same tables and columns, but for what differs by design', async () => {
    const [sqlite, postgres] = [columnsOfSqlite(), await columnsOfPostgres(fresh)];
    assert.deepEqual(
      postgres.filter((column) => !ON_POSTGRES_ALONE.test(column)),
      sqlite.filter((column) => !ON_SQLITE_ALONE.test(column)),
    );
    // Fails on exceptions that no longer apply.
    assert.equal(sqlite.filter((column) => ON_SQLITE_ALONE.test(column)).length, 12);
    assert.deepEqual(
      postgres.filter((column) => ON_POSTGRES_ALONE.test(column)),
      ['sample_text.rowid', 'sample_text.words', 'term_text.rowid', 'term_text.words'].map(
        (name) => `${name} ${name.endsWith('rowid') ? 'integer' : 'tsvector'} required`,
      ),
    );
  });
});

describe('a database on PostgreSQL', () => {
  const appliedTo = async (database: TestDatabase) =>
    (await database.run('select name from migration order by name')).map(({ name }) => name);

  it('is refused, and left as it is, by an older version', async () => {
    const database = await emptyDatabase();
    await migrate(database);
    await database.run("insert into migration values ('9999-of-tomorrow', now())");
    await database.run("delete from migration where name like '0009%'");
    const before = await appliedTo(database);
    await assert.rejects(
      migrate(database),
      /written by a newer Rapsheet \(it has 9999-of-tomorrow/,
    );
    assert.deepEqual(await appliedTo(database), before);
  });

  it('continues interrupted migrations after the last complete one', async () => {
    const database = await emptyDatabase();
    const [done, rest] = [readMigrations('postgres').slice(0, 5), namesOf('postgres').slice(5)];
    await database.run(
      'create table migration (name text primary key, applied_at timestamptz not null)',
    );
    for (const { name, sql } of done) {
      await database.run(sql);
      await database.run('insert into migration values ($1, now())', [name]);
    }
    const inTheWay = new pg.Client({ connectionString: database.url });
    await inTheWay.connect();
    await inTheWay.query('begin; lock table service');
    const cutOff = assert.rejects(migrate(database), /terminat/i);
    await until(async () => (await database.run(WAITING)).length > 0, 'it waits for the lock');
    await database.run(`select pg_terminate_backend(pid) from (${WAITING}) as waiting`);
    await cutOff;
    await inTheWay.end();
    assert.deepEqual(
      await appliedTo(database),
      done.map(({ name }) => name),
    );
    await migrate(database);
    assert.deepEqual((await appliedTo(database)).slice(5), rest);
    assert.deepEqual(await columnsOfPostgres(database), await columnsOfPostgres(fresh));
  });

  for (const shared of [true, false]) {
    const where = shared ? 'one folder' : 'folders of their own';
    it(`is initialized by four processes at once with ${where}: all of them serve, and there is one admin`, async () => {
      const database = await emptyDatabase();
      const installation = new TestInstallation();
      const folders = Array.from({ length: 4 }, (_, number) =>
        shared ? installation.dataDir : mkdtempSync(join(tmpdir(), `rapsheet-node-${number}-`)),
      );
      try {
        const urls = await Promise.all(
          folders.map((folder) => startOn(installation, database, folder)),
        );
        for (const url of urls) assert.equal((await fetch(`${url}/readyz`)).status, 200);
        assert.deepEqual(await database.run('select name from account'), [{ name: 'admin' }]);
        assert.deepEqual(await appliedTo(database), namesOf('postgres'));
        await checkTokens(String(urls[0]), new Set(folders));
      } finally {
        await installation.close();
        if (!shared) for (const folder of folders) rmSync(folder, { recursive: true });
      }
    });
  }
});

/** Starts a server process on the database, and returns its URL. */
async function startOn(
  installation: TestInstallation,
  { url }: TestDatabase,
  folder: string,
): Promise<string> {
  const child = installation.start(['serve'], {
    RAPSHEET_DATABASE_URL: url,
    RAPSHEET_DATA_DIR: folder,
    RAPSHEET_PORT: '0',
    RAPSHEET_METRICS_PORT: '0',
    RAPSHEET_ANALYSIS_WORKERS: '0',
  });
  child.stdout.resume();
  return String((await waitForOutput(child, /listens on (http:\S+)/))[1]);
}

/**
 * Checks that exactly one of the token files that the processes wrote has a valid token, and none
 * an invalid one.
 */
async function checkTokens(url: string, folders: ReadonlySet<string>): Promise<void> {
  const statuses: number[] = [];
  for (const folder of folders) {
    const token = readToken(folder);
    if (token === undefined) continue;
    statuses.push(
      (await fetch(`${url}/admin/services`, { headers: { authorization: token } })).status,
    );
  }
  assert.deepEqual(statuses, [200]);
}

function readToken(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'admin-token'), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The migration before that of the table. */
const WAITING = `select pid from pg_stat_activity
  where datname = current_database() and application_name like 'rapsheet/%' and wait_event_type = 'Lock'`;
