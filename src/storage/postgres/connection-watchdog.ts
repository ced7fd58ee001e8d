import type { Socket } from 'node:net';
import pg from 'pg';
import { codeOf } from './failures.ts';
import type { Latency } from './latency.ts';

/** A connection in use is probed after this time without a received byte. */
const SILENT_MS = 1000;
/**
 * Extends that time for large statements on slow links: the server reports `idle` until it has
 * received the whole statement.
 */
const MIN_BYTES_PER_MS = 1000;
const CHECK_INTERVAL_MS = 250;
/** Timeout for connecting the probe, and again for its query. */
const PROBE_MS = 1000;

/**
 * The state of our connections on the server. Idle for longer than a packet needs: the server did
 * not receive our statement, or its answer was lost. `ClientWrite`: the server cannot send its
 * answer.
 */
const PROBE = `select pid,
    (state like 'idle%' and state_change < clock_timestamp() - interval '500 ms')
      or wait_event = 'ClientWrite' as is_idle,
    pg_backend_pid() as own_pid
  from pg_stat_activity where pid = any($1::int[]) or pid = pg_backend_pid()`;

interface Progress {
  /** Bytes received at the last check. */
  received: number;
  /** Bytes sent by that time. */
  sent: number;
  since: number;
}

/** The types of pg lack `processID`, the process id of the server. */
type Client = pg.PoolClient & { readonly processID?: number };

interface Silent {
  readonly client: Client;
  readonly progress: Progress;
  /** Bytes received when the silence was detected. */
  readonly received: number;
}

/**
 * Detects half-open connections: nothing arrives although neither side has closed them. The driver
 * alone would wait for the statement timeout. To distinguish a lost connection from a slow
 * statement, the watchdog asks the server, on a new connection, whether it works on the statement.
 */
export class ConnectionWatchdog {
  readonly #connection: pg.ClientConfig;
  readonly #pools: readonly pg.Pool[];
  readonly #latency: Pick<Latency, 'allowanceMs'>;
  readonly #inUse = new Map<Client, Progress>();
  readonly #timer: NodeJS.Timeout;
  #isProbing = false;

  constructor(
    connection: pg.ClientConfig,
    pools: readonly pg.Pool[],
    latency: Pick<Latency, 'allowanceMs'>,
  ) {
    this.#connection = connection;
    this.#latency = latency;
    this.#pools = pools;
    for (const pool of pools) {
      pool.on('acquire', (client: Client) =>
        this.#inUse.set(client, progressOf(client, performance.now())),
      );
      pool.on('release', (_, client: Client) => this.#inUse.delete(client));
    }
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const [client, progress] of this.#inUse)
      if (hasAnswered(client, progress)) Object.assign(progress, progressOf(client, now));
    const silent = [...this.#inUse]
      .filter((one) => isSilent(one, now - this.#latency.allowanceMs))
      .map(([client, progress]) => ({ client, progress, received: progress.received }));
    if (silent.length === 0 || this.#isProbing) return;
    this.#isProbing = true;
    void this.#probe(silent).finally(() => {
      this.#isProbing = false;
    });
  }

  async #probe(silent: readonly Silent[]): Promise<void> {
    const pids = silent.flatMap(({ client: { processID } }) => processID ?? []);
    const lost = await this.#findLost(pids);
    const dead = silent.filter(
      ({ client, progress, received }) =>
        lost.has(client.processID) &&
        // Not released or answered during the probe, as after a pause of this process.
        this.#inUse.get(client) === progress &&
        !hasAnswered(client, { received }),
    );
    // The server works on the others. They are probed again after the same time.
    for (const { progress } of silent) progress.since = performance.now();
    if (dead.length === 0) return;
    for (const { client } of dead) client.connection.stream.destroy();
    // Idle connections are probably lost, too, and each would delay its next user.
    for (const pool of this.#pools) replaceIdle(pool);
  }

  /** The connections that the server does not work on; all of them if it cannot be reached. */
  async #findLost(pids: readonly number[]): Promise<ReadonlySet<number | undefined>> {
    const probeMs = PROBE_MS + this.#latency.allowanceMs;
    const client = new pg.Client({
      ...this.#connection,
      connectionTimeoutMillis: probeMs,
      query_timeout: probeMs,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<ProbeRow>(PROBE, [pids]);
      // A pooler assigns its own process ids, which pg_stat_activity does not contain.
      if (rows[0]?.own_pid !== (client as pg.Client & Client).processID) return new Set();
      const working = new Set(rows.filter(({ is_idle }) => is_idle !== true).map(({ pid }) => pid));
      return new Set(pids.filter((pid) => !working.has(pid)));
    } catch (cause) {
      // An error code comes from a reachable server, and says nothing about the connections.
      return codeOf(cause) === undefined ? new Set(pids) : new Set();
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

interface ProbeRow {
  readonly pid: number;
  /** Null if the server hides the activity of its sessions. */
  readonly is_idle: boolean | null;
  readonly own_pid: number;
}

/** A plain or TLS socket. The types of pg are less specific. */
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
  return now - since >= SILENT_MS + sentSince / MIN_BYTES_PER_MS;
}

/** Closes the idle connections of a pool. The pool opens new ones on demand. */
function replaceIdle(pool: pg.Pool): void {
  const end = (client: pg.PoolClient) => {
    client.connection.stream.destroy();
    client.release(true);
  };
  for (let count = pool.idleCount; count > 0; count -= 1) pool.connect().then(end, () => undefined);
}
