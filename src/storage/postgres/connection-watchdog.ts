import type { Socket } from 'node:net';
import pg from 'pg';
import { codeOf } from './failures.ts';

/** A connection in use from which nothing has come for so long is looked into. */
const SILENT_MS = 1000;
/** A large statement is on its way for longer, on a slow line too; the server says that it is idle until it has all of it. */
const LEAST_BYTES_PER_MS = 1000;
const LOOK_EVERY_MS = 250;
/** For the new connection that asks, and for its answer: each. */
const PROBE_MS = 1000;

/**
 * What the server is doing on our connections. `is_idle`: it has been waiting for us, for longer than a packet is on
 * its way, so it never got the statement that we wait for, or its answer was lost. `ClientWrite`: it cannot get rid of
 * its answer. pg_stat_activity has one row a connection.
 */
const PROBE = `select pid,
    (state like 'idle%' and state_change < clock_timestamp() - interval '500 ms')
      or wait_event = 'ClientWrite' as is_idle,
    pg_backend_pid() as own_pid
  from pg_stat_activity where pid = any($1::int[]) or pid = pg_backend_pid()`;

interface Progress {
  /** Bytes received when it was last looked at. */
  received: number;
  /** Bytes sent by the time that these were received. */
  sent: number;
  since: number;
}

/** The types of pg do not know of the number of its server process. */
type Client = pg.PoolClient & { readonly processID?: number };

interface Silent {
  readonly client: Client;
  readonly progress: Progress;
  /** Bytes received when it was found to be silent. */
  readonly received: number;
}

/**
 * Finds half-open connections: those on which nothing arrives any more although neither side has closed them. The driver
 * alone would wait for the longest time that a statement may take. A statement that merely takes long is told from a
 * connection that is lost by asking the server, on a new connection, whether it works on it.
 */
export class ConnectionWatchdog {
  readonly #connection: pg.ClientConfig;
  readonly #pools: readonly pg.Pool[];
  readonly #inUse = new Map<Client, Progress>();
  readonly #timer: NodeJS.Timeout;
  #isProbing = false;

  constructor(connection: pg.ClientConfig, pools: readonly pg.Pool[]) {
    this.#connection = connection;
    this.#pools = pools;
    for (const pool of pools) {
      pool.on('acquire', (client: Client) =>
        this.#inUse.set(client, progressOf(client, performance.now())),
      );
      pool.on('release', (_, client: Client) => this.#inUse.delete(client));
    }
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [client, progress] of this.#inUse)
      if (hasAnswered(client, progress)) Object.assign(progress, progressOf(client, now));
    const silent = [...this.#inUse]
      .filter((one) => isSilent(one, now))
      .map(([client, progress]) => ({ client, progress, received: progress.received }));
    if (silent.length === 0 || this.#isProbing) return;
    this.#isProbing = true;
    void this.#judge(silent).finally(() => {
      this.#isProbing = false;
    });
  }

  async #judge(silent: readonly Silent[]): Promise<void> {
    const pids = silent.flatMap(({ client: { processID } }) => processID ?? []);
    const lost = await this.#lostOf(pids);
    const dead = silent.filter(
      ({ client, progress, received }) =>
        lost.has(client.processID) &&
        // Given back or answered meanwhile, also where it was this process that stood still.
        this.#inUse.get(client) === progress &&
        !hasAnswered(client, { received }),
    );
    // The server works on the others: they are looked into again after as long.
    for (const { progress } of silent) progress.since = performance.now();
    if (dead.length === 0) return;
    for (const { client } of dead) client.connection.stream.destroy();
    // What happened to one has probably happened to all: each would cost its next user the same time.
    for (const pool of this.#pools) replaceIdle(pool);
  }

  /** Those that the server does not work on. All of them where it cannot be reached at all. */
  async #lostOf(pids: readonly number[]): Promise<ReadonlySet<number | undefined>> {
    const client = new pg.Client({
      ...this.#connection,
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<ProbeRow>(PROBE, [pids]);
      // A pooler gives out numbers of its own, by which nothing can be found.
      if (rows[0]?.own_pid !== (client as pg.Client & Client).processID) return new Set();
      const working = new Set(rows.filter(({ is_idle }) => is_idle !== true).map(({ pid }) => pid));
      return new Set(pids.filter((pid) => !working.has(pid)));
    } catch (cause) {
      // A server that refuses, for whatever reason, is there: it says nothing of the others.
      return codeOf(cause) === undefined ? new Set(pids) : new Set();
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

interface ProbeRow {
  readonly pid: number;
  /** Null where the server does not say what its sessions do. */
  readonly is_idle: boolean | null;
  readonly own_pid: number;
}

/** A socket, with or without TLS; the types of pg do not say so. */
const socketOf = ({ connection }: pg.PoolClient) => connection.stream as Socket;

function progressOf(client: Client, since: number): Progress {
  const { bytesRead: received, bytesWritten: sent } = socketOf(client);
  return { received, sent, since };
}

function hasAnswered(client: Client, { received }: Pick<Progress, 'received'>): boolean {
  return socketOf(client).bytesRead !== received;
}

function isSilent([client, { sent, since }]: readonly [Client, Progress], now: number): boolean {
  const sentSince = socketOf(client).bytesWritten - sent;
  return now - since >= SILENT_MS + sentSince / LEAST_BYTES_PER_MS;
}

/** Ends the connections that nobody uses. New ones are made where they are needed. */
function replaceIdle(pool: pg.Pool): void {
  const end = (client: pg.PoolClient) => {
    client.connection.stream.destroy();
    client.release(true);
  };
  for (let count = pool.idleCount; count > 0; count -= 1) pool.connect().then(end, () => undefined);
}
