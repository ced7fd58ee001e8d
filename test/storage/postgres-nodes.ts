import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';
import type { Store } from '../../src/ports/store.ts';
import { openPostgresDatabase } from '../../src/server/open-postgres-database.ts';
import { newDatabase, type TestDatabase } from '../postgres.ts';
import { until } from '../until.ts';
import { audit, NOW, newAccount, newToken, testForms } from './contracts/store-contract.ts';

const QUIET = { error: () => undefined, warn: () => undefined };

/** A database with some nodes on it, and everything that is done to them on purpose. */
export class Nodes {
  readonly database: TestDatabase;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(database: TestDatabase) {
    this.database = database;
  }

  static async open(): Promise<Nodes> {
    return new Nodes(await newDatabase());
  }

  /** One more of them; through something in between, where its address is given. */
  async add(url = this.database.url): Promise<Store> {
    const options = { url, poolSize: 10, serializers: testForms, log: QUIET };
    const { store } = await openPostgresDatabase(options);
    this.closeLater(() => store.close());
    return store;
  }

  closeLater(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  /** Ends connections of the nodes, as an operator may, or a server that fails: so many, at random. */
  async kill(count: number, which = 'true'): Promise<number> {
    const killed = await this.database.run(
      `select pg_terminate_backend(pid) from (
        select pid from pg_stat_activity
        where datname = current_database() and application_name = 'rapsheet' and ${which}
        order by random() limit ${count}
      ) as chosen`,
    );
    return killed.length;
  }

  /** Those by which nodes hear of each other. */
  async killWatches(): Promise<void> {
    await until(async () => (await this.kill(100, WATCHES)) > 0, 'a node listens');
  }

  /** Until so many wait for a lock. */
  async untilWaiting(count: number): Promise<void> {
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await until(
      async () => (await this.database.run(waiting)).length >= count,
      `${count} are in each other’s way`,
    );
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

/** They ask for nothing but news. */
const WATCHES = "(query like '%from installation' or query like '%last_sequence from service%')";

export async function addReader(store: Store, limit: number): Promise<string> {
  const account = newAccount({ quota: { limit, period: 'none' } });
  await store.accounts.add(account, newToken(), audit);
  return account.id;
}

export async function addFeed(store: Store): Promise<string> {
  const slug = `s-${randomUUID()}`;
  const service = { slug, name: slug, confidenceScale: 100, hosts: [], networks: [] };
  await store.services.add({ ...service, expireAfterDays: 90, createdAt: NOW }, audit);
  return slug;
}

/** What a caller is told, in one word. */
export async function outcomeOf(call: Promise<{ readonly served: boolean }>): Promise<string> {
  try {
    return (await call).served ? 'served' : 'refused';
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'unavailable')
      return 'unavailable';
    throw cause;
  }
}

/** Where the connection is cut: before the server is asked to commit, or after it has, but before it says so. */
export type Cut = 'before' | 'after' | 'never';

/** What becomes of something that is sent: it goes on, or the connection is cut. */
interface Between {
  /** Whether what a node sends goes on. */
  fromNode?(bytes: Buffer): boolean;
  /** What goes on of what the server sends. */
  fromServer?(bytes: Buffer): Buffer | undefined;
}

/** Stands between a node and its database. */
async function openProxy(to: string, between: () => Between) {
  const target = new URL(to);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const { fromNode = () => true, fromServer = (bytes) => bytes } = between();
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
      const rest = fromServer(bytes);
      if (rest === undefined) end();
      else near.write(rest);
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

/** A commit of ours is a message of its own: `Q`, its length, and the word with a zero behind it. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');

/** Cuts connections at their commits, as it is told. */
export function cuttingProxy(to: string, nextCut: () => Cut) {
  return openProxy(to, () => {
    let isMute = false;
    return {
      fromNode(bytes) {
        const cut = bytes.includes(COMMIT) ? nextCut() : 'never';
        isMute ||= cut === 'after';
        return cut !== 'before';
      },
      // Once it is mute, the first word from there is the answer to the commit.
      fromServer: (bytes) => (isMute ? undefined : bytes),
    };
  });
}

const NOTIFICATION = 'A'.charCodeAt(0);
const HEAD_BYTES = 5;

/**
 * Lets everything through but what nodes tell each other, as a pooler may. A message is a letter, its length (u32, with
 * itself, but without the letter), and so many bytes.
 */
export function deafeningProxy(to: string) {
  return openProxy(to, () => {
    let waiting = Buffer.alloc(0);
    return {
      fromServer(bytes) {
        waiting = Buffer.concat([waiting, bytes]);
        const through: Buffer[] = [];
        while (waiting.length >= HEAD_BYTES && waiting.length > waiting.readUInt32BE(1)) {
          const size = 1 + waiting.readUInt32BE(1);
          if (waiting[0] !== NOTIFICATION) through.push(waiting.subarray(0, size));
          waiting = waiting.subarray(size);
        }
        return Buffer.concat(through);
      },
    };
  });
}

/** Keeps others from rows until it is let go. */
export async function hold(client: pg.Client, sql: string): Promise<() => Promise<void>> {
  await client.connect();
  await client.query('begin');
  await client.query(sql);
  return () => client.end();
}
