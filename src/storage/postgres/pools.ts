import pg from 'pg';
import { readAddress } from './address.ts';
import { columnTypes } from './columns.ts';

/** Longer than any of our statements takes where all is well. */
const STATEMENT_MS = 15_000;
const LOCK_MS = 5000;
/** For a server that does not even say that it is too late. */
const GRACE_MS = 5000;
const ANSWER_MS = STATEMENT_MS + GRACE_MS;
const CONNECT_MS = 3000;
/** Keeps firewalls from forgetting idle connections, and finds idle ones whose other end is gone. */
const KEEP_ALIVE_MS = 2000;
/**
 * The same on the server's side, so that it ends the session of a node that is cut off, and with it the locks.
 * `tcp_user_timeout` also ends the session of a frozen node that does not read its results.
 */
const SERVER_KEEP_ALIVE = [
  'tcp_keepalives_idle=2',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=3000',
];

/**
 * Connections for what must not wait for each other: lookups, creates and fetches, which come by the thousand and go on
 * together, and who it is that calls, have some of their own, however long a list or an import takes.
 */
export interface Pools {
  readonly gathered: pg.Pool;
  readonly reads: pg.Pool;
  readonly writes: pg.Pool;
  /** For the queue, whose statements are not ours. */
  readonly jobs: pg.Pool;
  end(): Promise<void>;
}

/** One for lookups and one for creates, of which one batch at a time is under way, and some for what is only read. */
const GATHERED_CONNECTIONS = 4;
/**
 * Every statement of the store follows an index, row by row; `test/storage/plans` checks them all. Statistics that are
 * missing or out of date must not change that, nor must arguments: each statement has one plan, which is made once. The
 * switches keep the planner from the methods that pay only where whole tables are read.
 */
const BY_INDEX = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'enable_material=off',
  'enable_memoize=off',
  'random_page_cost=1',
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
/** They go on together: a row that one of them needs may not keep all of them waiting for long. */
const SHORT_LOCK = '-c lock_timeout=1000';
/**
 * Shorter than a transaction may stand still. So when the transaction of a lost node is ended, no other one of that node
 * still waits for the same row: it would get the row next, and stand still with it. Whoever is there tries again.
 */
const WRITE_LOCK = '-c lock_timeout=1200';
/** They hold nothing that others wait for, and a page may be larger than what a busy node reads in a moment. */
const SLOW_READER = '-c tcp_user_timeout=10000';
const JOB_CONNECTIONS = 3;
/** Its upkeep, and the change to another version of it, take what they take. */
const JOB_STATEMENT_MS = 600_000;

export function openPools(connection: pg.ClientConfig, size: number): Pools {
  // Of few connections each kind still has its own.
  const most = Math.max(2, Math.min(GATHERED_CONNECTIONS, size - 4));
  const rest = size - most;
  const planned = { ...connection, options: `${connection.options} ${BY_INDEX}` };
  const gathered = openPool({ ...planned, options: `${planned.options} ${SHORT_LOCK}` }, most);
  const reads = openPool(
    { ...planned, options: `${planned.options} ${SLOW_READER}` },
    Math.max(1, Math.ceil(rest / 2)),
  );
  const writes = openPool(
    { ...planned, options: `${planned.options} ${WRITE_LOCK}` },
    Math.max(1, Math.floor(rest / 2)),
  );
  const jobs = openPool(
    {
      ...connection,
      pipeline: false,
      options: `${connection.options} -c statement_timeout=${JOB_STATEMENT_MS}`,
      query_timeout: JOB_STATEMENT_MS,
    },
    JOB_CONNECTIONS,
  );
  const all = [gathered, reads, writes, jobs];
  const end = async () => {
    await Promise.all(all.map((pool) => pool.end()));
  };
  return { gathered, reads, writes, jobs, end };
}

/** How connections are made, by the address of the database. */
export function connectionTo(address: string, statementMs = STATEMENT_MS): pg.ClientConfig {
  const { url, options } = readAddress(address);
  return {
    connectionString: url,
    types: columnTypes,
    application_name: 'rapsheet',
    // A query need not wait for the answer to the one before it.
    pipeline: true,
    // Of two settings of one name the later counts.
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
  // A connection that is lost while it is not used is dropped; whoever uses one is told by its query. Without a listener
  // either would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
