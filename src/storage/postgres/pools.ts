import pg from 'pg';
import { columnTypes } from './columns.ts';
import { parseConnectionUrl } from './connection-url.ts';
import { nodeName } from './other-nodes.ts';

/** Far longer than any statement takes on a healthy server. */
const STATEMENT_MS = 15_000;
const LOCK_MS = 5000;
/** For a server that does not report the statement timeout. */
const GRACE_MS = 5000;
const ANSWER_MS = STATEMENT_MS + GRACE_MS;
const CONNECT_MS = 3000;
/** Keeps idle connections open in firewalls, and detects those whose peer is gone. */
const KEEP_ALIVE_MS = 2000;
/**
 * The same for the server, so that it ends the session of a disconnected node and releases its
 * locks. `tcp_user_timeout` also ends the session of a frozen node that does not read its results.
 */
const SERVER_KEEP_ALIVE = [
  'tcp_keepalives_idle=2',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=3000',
];

/**
 * Separate pools for work that must not wait for each other. Lookups, creates, fetches and
 * authentication are batched and have their own connections, so that lists and imports of any
 * length do not delay them.
 */
export interface Pools {
  readonly batched: pg.Pool;
  readonly reads: pg.Pool;
  readonly writes: pg.Pool;
  /** For pg-boss. */
  readonly jobs: pg.Pool;
  end(): Promise<void>;
}

/** One for lookups, one for creates (each runs one batch at a time), the others for reads. */
const BATCHED_CONNECTIONS = 4;
/**
 * Every statement of the store reads through an index; `test/storage/plans` checks them all.
 * Missing or outdated statistics and the bound values must not change that, so each statement has
 * one generic plan, and methods that only pay for reading whole tables are off.
 */
const BY_INDEX = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'enable_material=off',
  'enable_memoize=off',
  'random_page_cost=1',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
/** Reads hold no locks, and a busy node may take a while to receive a large page. */
const SLOW_READER = '-c tcp_user_timeout=10000';
const JOB_CONNECTIONS = 3;
/** The maintenance and the migrations of pg-boss may take long. */
const JOB_STATEMENT_MS = 600_000;

export function openPools(connection: pg.ClientConfig, size: number): Pools {
  // With few connections each pool still has at least one.
  const batchedSize = Math.max(2, Math.min(BATCHED_CONNECTIONS, size - 4));
  const remaining = size - batchedSize;
  const planned = { ...connection, options: `${connection.options} ${BY_INDEX}` };
  const batched = openPool(planned, batchedSize);
  const reads = openPool(
    { ...planned, options: `${planned.options} ${SLOW_READER}` },
    Math.max(1, Math.ceil(remaining / 2)),
  );
  const writes = openPool(planned, Math.max(1, Math.floor(remaining / 2)));
  const jobs = openPool(
    {
      ...connection,
      pipeline: false,
      options: `${connection.options} -c statement_timeout=${JOB_STATEMENT_MS}`,
      query_timeout: JOB_STATEMENT_MS,
    },
    JOB_CONNECTIONS,
  );
  const all = [batched, reads, writes, jobs];
  const end = async () => {
    await Promise.all(all.map((pool) => pool.end()));
  };
  return { batched, reads, writes, jobs, end };
}

/** The settings of every connection to that database. */
export function connectionTo(connectionUrl: string, statementMs = STATEMENT_MS): pg.ClientConfig {
  const { url, options } = parseConnectionUrl(connectionUrl);
  return {
    connectionString: url,
    types: columnTypes,
    application_name: nodeName(),
    // Sends queries without waiting for the result of the previous one.
    pipeline: true,
    // Ours come last: of two settings with the same name the last one counts.
    options: `${options} ${sessionOptions(statementMs)}`.trimStart(),
    query_timeout: statementMs + GRACE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

function sessionOptions(statementMs: number): string {
  const settings = [
    'timezone=UTC',
    'datestyle=ISO',
    `statement_timeout=${statementMs}`,
    `lock_timeout=${LOCK_MS}`,
    `idle_in_transaction_session_timeout=${ANSWER_MS}`,
    // Compiling a statement takes longer than executing any of ours. With a custom plan PostgreSQL
    // would compile even batches of a hundred rows, because it overestimates ranges.
    'jit=off',
    ...SERVER_KEEP_ALIVE,
  ];
  return settings.map((setting) => `-c ${setting}`).join(' ');
}

function openPool(connection: pg.ClientConfig, max: number): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  });
  // The pool drops idle connections that fail, and a query reports the failure of its connection.
  // Without a listener either error would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
