import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach } from 'node:test';
import { sql } from 'kysely';
import type pg from 'pg';
import { parseFileHash } from '../../../src/domain/samples/file-hash.ts';
import type { NewReport } from '../../../src/ports/report-store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { openPostgresDatabase } from '../../../src/server/open-postgres-database.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { openPools } from '../../../src/storage/postgres/pools.ts';
import { PostgresRunner } from '../../../src/storage/postgres/runner.ts';
import { query } from '../../../src/storage/units/query.ts';
import { COMMIT } from '../../lossy-proxy.ts';
import { newStoreDatabase, type TestDatabase } from '../../postgres.ts';
import { until } from '../../until.ts';
import {
  audit,
  hex,
  NOW,
  newAccount,
  newService,
  newToken,
  testForms,
} from '../contracts/store-contract.ts';

const QUIET = { error: () => undefined, warn: () => undefined };

/** A database with several nodes, and the faults to inject into them. */
export class Nodes {
  readonly database: TestDatabase;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(database: TestDatabase) {
    this.database = database;
  }

  static async open(): Promise<Nodes> {
    return new Nodes(await newStoreDatabase());
  }

  /** Adds a node, through a proxy if its URL is given. */
  async add(url = this.database.url): Promise<Store> {
    const options = { url, poolSize: 10, serializers: testForms, log: QUIET };
    const { store } = await openPostgresDatabase(options);
    this.closeLater(() => store.close());
    return store;
  }

  /**
   * Adds a runner with additional settings for its connections. `prepare` receives each of them.
   */
  async addRunner(
    settings = '',
    prepare: (client: pg.PoolClient) => void = () => undefined,
  ): Promise<PostgresRunner> {
    const runner = await openRunner(this.database.url, settings, prepare);
    this.closeLater(() => runner.close());
    return runner;
  }

  closeLater(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  /** Terminates that many connections of the nodes, at random. */
  async kill(count: number, which = 'true'): Promise<number> {
    const killed = await this.database.run(
      `select pg_terminate_backend(pid) from (
        select pid from pg_stat_activity
        where datname = current_database() and application_name like 'rapsheet/%' and ${which}
        order by random() limit ${count}
      ) as chosen`,
    );
    return killed.length;
  }

  /** Terminates the change channels. */
  async killChannels(): Promise<void> {
    await until(async () => (await this.kill(100, CHANNELS)) > 0, 'a node listens');
  }

  /** Returns when that many sessions wait for a lock. */
  async untilWaiting(count: number): Promise<void> {
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await until(
      async () => (await this.database.run(waiting)).length >= count,
      `${count} sessions wait for a lock`,
    );
  }

  /** The units in the list of charges. */
  async unitsCharged(accountId: string): Promise<number> {
    const sql = 'select sum(units)::int as units from account_charge where account_id = $1';
    return Number((await this.database.run(sql, [accountId]))[0]?.['units']);
  }

  async unitsUsed(accountId: string): Promise<number> {
    const [row] = await this.database.run('select quota_used from account where id = $1', [
      accountId,
    ]);
    return Number(row?.['quota_used']);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    await this.database.drop();
  }
}

/** The polls of change channels. */
const CHANNELS = "(query like '%from installation' or query like '%last_sequence from service%')";

export async function openRunner(
  url: string,
  settings: string,
  prepare: (client: pg.PoolClient) => void = () => undefined,
): Promise<PostgresRunner> {
  // Migrates the database, without the settings.
  const { connection, pools } = await openPostgres(url, 10);
  await pools.end();
  const options = `${connection.options} ${settings}`;
  const ownPools = openPools({ ...connection, options }, 10);
  for (const pool of [ownPools.batched, ownPools.reads, ownPools.writes])
    pool.on('connect', prepare);
  return new PostgresRunner({
    pools: ownPools,
    connection,
    runJobStep: () => Promise.resolve(),
  });
}

export const sleepFor = (seconds: number) =>
  query()((db) => db.selectNoFrom(sql`pg_sleep(${sql.lit(seconds)})::text`.as('slept')));

export const lookUp = (store: Store, accountId: string) =>
  store.samples.lookUp({ accountId, hash: parseFileHash(hex(32)), now: NOW });

export function newReport(service: string, reporterId: string, host = 'evil.example'): NewReport {
  return {
    id: randomUUID(),
    service,
    tags: [],
    c2: { host, port: 443 },
    sha256: hex(32),
    reference: '',
    confidence: 50,
    reporterId,
    reportedBy: 'somebody',
    reportedAt: NOW,
    retry: undefined,
  };
}

export async function addReader(store: Store, limit: number): Promise<string> {
  const account = newAccount({ quota: { limit, period: 'none' } });
  await store.accounts.add(account, newToken(), audit);
  return account.id;
}

export async function addFeed(store: Store): Promise<string> {
  const service = newService();
  await store.services.add(service, audit);
  return service.slug;
}

/** The outcome for the caller. */
export async function outcomeOf(call: Promise<{ readonly served: boolean }>): Promise<string> {
  try {
    return (await call).served ? 'served' : 'refused';
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'unavailable')
      return 'unavailable';
    throw cause;
  }
}

/**
 * When the connection is cut: before the commit reaches the server, or before its answer returns.
 */
export type Cut = 'before' | 'after' | 'never';

/** Decides whether bytes are forwarded or the connection is cut. */
interface Filter {
  /** Whether to forward the bytes. */
  fromNode?(bytes: Buffer): boolean;
  /** The bytes to forward; `undefined` cuts the connection. */
  fromServer?(bytes: Buffer): Buffer | undefined;
}

/** A proxy between a node and its database. */
async function openProxy(to: string, newFilter: () => Filter) {
  const target = new URL(to);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const { fromNode = () => true, fromServer = (bytes) => bytes } = newFilter();
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    near.on('data', (bytes: Buffer) => (fromNode(bytes) ? far.write(bytes) : end()));
    far.on('data', (bytes: Buffer) => {
      const forwarded = fromServer(bytes);
      if (forwarded === undefined) end();
      else near.write(forwarded);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: Object.assign(new URL(to), { port: String(port) }).href, close };
}

/** Cuts connections at their commits as `nextCut` says. */
export function cuttingProxy(to: string, nextCut: () => Cut) {
  return openProxy(to, () => {
    let isCommitting = false;
    return {
      fromNode(bytes) {
        const cut = bytes.includes(COMMIT) ? nextCut() : 'never';
        isCommitting ||= cut === 'after';
        return cut !== 'before';
      },
      // The first bytes after the commit are its answer.
      fromServer: (bytes) => (isCommitting ? undefined : bytes),
    };
  });
}

const NOTIFICATION = 'A'.charCodeAt(0);
const HEAD_BYTES = 5;

/**
 * Drops notifications, as a pooler may. A message is a letter, its length (u32, which includes
 * itself but not the letter) and its body.
 */
export function notificationDroppingProxy(to: string) {
  return openProxy(to, () => {
    let buffered = Buffer.alloc(0);
    return {
      fromServer(bytes) {
        buffered = Buffer.concat([buffered, bytes]);
        const forwarded: Buffer[] = [];
        while (buffered.length >= HEAD_BYTES && buffered.length > buffered.readUInt32BE(1)) {
          const size = 1 + buffered.readUInt32BE(1);
          if (buffered[0] !== NOTIFICATION) forwarded.push(buffered.subarray(0, size));
          buffered = buffered.subarray(size);
        }
        return Buffer.concat(forwarded);
      },
    };
  });
}

/** Holds the locks of a statement. Returns how to release them. */
export async function hold(client: pg.Client, sql: string): Promise<() => Promise<void>> {
  await client.connect();
  await client.query('begin');
  await client.query(sql);
  return () => client.end();
}

/** Opens a database for each test of the file, and keeps their server alive between two tests. */
export function openForEachTest(use: (nodes: Nodes) => void): void {
  let keeper: TestDatabase;
  let nodes: Nodes;
  before(async () => {
    keeper = await newStoreDatabase();
  });
  after(() => keeper.drop());
  beforeEach(async () => {
    nodes = await Nodes.open();
    use(nodes);
  });
  afterEach(() => nodes.close());
}
