import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { serializers } from '../../src/http/responses/present.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { TestInstallation } from '../installation.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';

const SECRET = 'hunter2-of-nobody';

/** `serve` and `worker` describe the problem in one line and change nothing. */
describe('an unusable database', () => {
  let installation: TestInstallation;
  let database: TestDatabase;
  before(async () => {
    installation = new TestInstallation();
    database = await newDatabase();
  });
  after(async () => {
    await installation.close();
    await database.drop();
  });

  const lineOf = async (
    url: string,
    settings: Readonly<Record<string, string>> = {},
    exitCode = 1,
  ) => {
    const outcome = await installation.runAlone(['serve'], {
      settings: {
        RAPSHEET_DATABASE_URL: url,
        RAPSHEET_PORT: '0',
        RAPSHEET_METRICS_PORT: '0',
        ...settings,
      },
    });
    assert.equal(outcome.code, exitCode, outcome.stderr);
    assert.equal(outcome.stdout, '');
    assert.doesNotMatch(outcome.stderr, /\n\s+at /, 'no stack');
    assert.ok(!outcome.stderr.includes(SECRET), 'no password');
    return outcome.stderr;
  };
  const oneLine = (output: string, pattern: RegExp) => {
    assert.match(output, pattern);
    assert.equal(output.trimEnd().split('\n').length, 1, output);
  };
  const changed = (members: Partial<URL>) => Object.assign(new URL(database.url), members).href;
  const tables = () =>
    database.run(
      "select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );

  it('is not filled by commands that read, nor is the data folder created', async () => {
    const settings = { RAPSHEET_DATABASE_URL: database.url };
    for (const words of [['account', 'list'], ['service', 'list', '--store'], ['doctor']]) {
      const { code, stderr } = await installation.run(words, { settings });
      assert.equal(code, 1);
      const { host, pathname } = new URL(database.url);
      oneLine(stderr, /: there is no store in the database \S+: set RAPSHEET_DATABASE_URL to /);
      assert.ok(stderr.includes(`${host}${pathname}`));
    }
    assert.deepEqual(await tables(), []);
    assert.ok(!existsSync(installation.dataDir));
  });

  it('has an invalid URL', async () => {
    for (const url of [
      `postgres://a:${SECRET}@`,
      `mysql://a:${SECRET}@b/c`,
      `postgres://b:x/${SECRET}`,
    ])
      assert.match(
        await lineOf(url, {}, 78),
        /^ {2}RAPSHEET_DATABASE_URL must be sqlite:<file> or postgres:/m,
      );
  });

  it('rejects the password', async () => {
    const output = await lineOf(changed({ password: SECRET }));
    oneLine(
      output,
      /cannot connect to PostgreSQL at rapsheet@127\.0\.0\.1:\d+\/.*password authentication failed/,
    );
    assert.deepEqual(await tables(), []);
  });

  it('cannot be reached', async () => {
    oneLine(
      await lineOf(changed({ port: '1' })),
      /cannot connect to PostgreSQL at .*:1\/.*ECONNREFUSED/,
    );
  });

  it('does not exist', async () => {
    oneLine(
      await lineOf(changed({ pathname: '/nowhere' })),
      /cannot connect .*"nowhere" does not exist/,
    );
  });

  it('gives its user no right to create tables', async () => {
    const user = `weak_${database.url.slice(-8)}`;
    await database.run(`create role ${user} login password '${SECRET}'`);
    const output = await lineOf(changed({ username: user, password: SECRET }));
    oneLine(
      output,
      /may not make tables there .*: make it the owner of the database, or grant it create/,
    );
    assert.deepEqual(await tables(), []);
    await database.run(`drop role ${user}`);
  });

  /** The line for a database, without starting a process. */
  const refused = (url: string, pattern: RegExp) => assert.rejects(openPostgres(url, 4), pattern);

  it('gives its user no right to create schemas, which are created last', async () => {
    const user = `half_${database.url.slice(-8)}`;
    await database.run(`create role ${user} login password '${SECRET}'`);
    await database.run(`grant create on schema public to ${user}`);
    await refused(
      changed({ username: user, password: SECRET }),
      /may not make tables there \(it may not make a schema\): make it the owner/,
    );
    assert.deepEqual(await tables(), []);
    await database.run(`drop owned by ${user}`);
    await database.run(`drop role ${user}`);
  });

  it('has tables of another user that its user may only read, which is reported once', async () => {
    const there = await newDatabase();
    const logged: unknown[] = [];
    const log = { error: (...words: unknown[]) => logged.push(words), warn: () => undefined };
    const open = (url: string) => openPostgresDatabase({ url, poolSize: 4, serializers, log });
    await (await open(there.url)).store.close();
    const user = `reader_${there.url.slice(-8)}`;
    await there.run(`create role ${user} login password '${SECRET}'`);
    await there.run(`grant usage on schema public, pgboss to ${user}`);
    await there.run(`grant select on all tables in schema public, pgboss to ${user}`);
    const url = Object.assign(new URL(there.url), { username: user, password: SECRET }).href;
    await assert.rejects(open(url), /may not use the tables there .*: name the user who made them/);
    assert.deepEqual(logged, []);
    await there.run(`drop owned by ${user}`);
    await there.run(`drop role ${user}`);
    await there.drop();
  });

  it('has no schema for tables', async () => {
    await refused(
      changed({ search: '?options=-c%20search_path%3Dnowhere' }),
      /has none of the schemas in the search_path of its user: make one of them/,
    );
  });

  it('requires a password, and none is set', async () => {
    await refused(
      changed({ password: '' }),
      /asks for a password and none was given: put it into the URL, PGPASSWORD or ~\/\.pgpass/,
    );
  });

  it('has a certificate file that is missing', async () => {
    await refused(
      changed({ search: '?sslmode=require&sslrootcert=/nowhere.pem' }),
      /cannot connect to PostgreSQL at .*ENOENT.*nowhere\.pem/,
    );
  });

  it('is read-only', async () => {
    await refused(
      changed({ search: '?options=-c%20default_transaction_read_only%3Don' }),
      /can only be read \(.*\): name the primary and not a replica/,
    );
    assert.deepEqual(await tables(), []);
  });

  it('is not in UTF-8', async () => {
    const name = `latin_${database.url.slice(-8)}`;
    await database.run(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    await refused(
      changed({ pathname: `/${name}` }),
      /is in LATIN1, which cannot hold all texts: make a database in UTF-8/,
    );
    await database.run(`drop database ${name}`);
  });

  it('was written by a newer Rapsheet', async () => {
    const newer = await newDatabase();
    await newer.run(
      'create table migration (name text primary key, applied_at timestamptz not null)',
    );
    await newer.run("insert into migration values ('9999-later', now())");
    oneLine(await lineOf(newer.url), /written by a newer Rapsheet \(it has 9999-later\)/);
    const names = await newer.run(
      "select tablename from pg_tables where schemaname in ('public', 'pgboss')",
    );
    assert.deepEqual(names, [{ tablename: 'migration' }]);
    await newer.drop();
  });

  it('runs on a PostgreSQL version that is too old', async () => {
    const { server, port } = await oldServer();
    const output = await lineOf(changed({ host: `127.0.0.1:${port}` }));
    oneLine(output, /PostgreSQL 14 is too old: 15 or later is needed/);
    server.close();
  });

  it('is SQLite, which several HTTP workers cannot share', async () => {
    const { code, stderr } = await installation.runAlone(['serve'], {
      settings: {
        RAPSHEET_DATABASE_URL: `sqlite:${installation.dataDir}/x.db`,
        RAPSHEET_HTTP_WORKERS: '2',
      },
    });
    assert.equal(code, 78);
    assert.match(
      stderr,
      /^ {2}RAPSHEET_HTTP_WORKERS must be 1 on SQLite, which has one writer .*PostgreSQL.*$/m,
    );
    assert.equal(stderr.trimEnd().split('\n').length, 2, 'a heading and one line');
  });

  it('is reported by a worker in the same way', async () => {
    const { code, stderr } = await installation.runAlone(['worker'], {
      settings: { RAPSHEET_DATABASE_URL: changed({ password: SECRET }) },
    });
    assert.equal(code, 1);
    oneLine(stderr, /^rapsheet worker: cannot connect to PostgreSQL at .*password authentication/);
    assert.ok(!stderr.includes(SECRET));
  });

  it('is reported once, not by each HTTP worker', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const output = await lineOf(database.url, {
      RAPSHEET_HTTP_WORKERS: '2',
      RAPSHEET_PORT: String(port),
      RAPSHEET_LOG_LEVEL: 'error',
    });
    oneLine(output, /is in use by another program: set RAPSHEET_PORT to another port/);
    taken.close();
  });
});

/**
 * Implements only as much of the protocol as reports the version PostgreSQL 14:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
async function oldServer(): Promise<{ readonly server: Server; readonly port: number }> {
  const message = (type: string, ...parts: readonly (string | Buffer)[]) => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const ready = message('Z', 'I');
  const version = '140011';
  const column = Buffer.alloc(18);
  // The type `text`, of variable length.
  column.writeInt32BE(25, 6);
  column.writeInt16BE(-1, 10);
  const answer = Buffer.concat([
    message('T', Buffer.from([0, 1]), 'server_version_num\0', column),
    message('D', Buffer.from([0, 1, 0, 0, 0, version.length]), version),
    message('C', 'SHOW\0'),
    ready,
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
      socket.on('data', (asked) => {
        if (asked.toString('latin1', 0, 1) === 'Q') socket.write(answer);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}
