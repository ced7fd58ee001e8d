import { setTimeout as pause } from 'node:timers/promises';
import { Cluster } from './cluster.ts';
import { OwnPostgres } from './own-postgres.ts';

export interface IdlePlan {
  /** The folder of the PostgreSQL programs. */
  readonly programs: string;
  readonly forMs: number;
  readonly maxStatementsPerSecond: number;
}

export interface IdleResult {
  readonly statementsPerSecond: number;
  readonly commitsPerSecond: number;
  /** Statements that may write, of all nodes together. */
  readonly writes: number;
  /** The most frequent ones, with their number. */
  readonly frequent: readonly string[];
  readonly broken: readonly string[];
}

const DATABASE = 'postgres';
const NODES = 3;
/** The tasks of a start have ended by then, and connections that it opened are idle. */
const SETTLE_MS = 15_000;
const MAX_LISTED = 12;

/** Three nodes without callers send few statements, and write nothing. */
export async function idleCluster(plan: IdlePlan): Promise<IdleResult> {
  const settings = [
    'shared_preload_libraries=pg_stat_statements',
    'pg_stat_statements.track_utility=on',
  ];
  const database = await OwnPostgres.create(plan.programs, settings);
  const cluster = new Cluster(database.urlOf(DATABASE));
  try {
    await database.run(DATABASE, 'create extension pg_stat_statements');
    await cluster.start({ nodes: NODES, workers: 0 });
    await cluster.client(0).addService({ slug: 'ply' });
    await pause(SETTLE_MS);
    const commitsBefore = await commitsOf(database);
    await database.run(DATABASE, 'select pg_stat_statements_reset()');
    await pause(plan.forMs);
    const statements = await database.run(
      DATABASE,
      `select query, calls::int as calls from pg_stat_statements
        where query not like '%pg_stat_%' order by calls desc, query`,
    );
    const commits = (await commitsOf(database)) - commitsBefore;
    return resultOf(statements.map(toCounted), commits, plan);
  } finally {
    await cluster.close();
    await database.remove();
  }
}

interface Counted {
  readonly query: string;
  readonly calls: number;
}

function toCounted({ query, calls }: Readonly<Record<string, unknown>>): Counted {
  return { query: String(query), calls: Number(calls) };
}

function resultOf(
  statements: readonly Counted[],
  commits: number,
  { forMs, maxStatementsPerSecond }: IdlePlan,
): IdleResult {
  const seconds = forMs / 1000;
  const sum = (counted: readonly Counted[]) =>
    counted.reduce((total, { calls }) => total + calls, 0);
  const perSecond = round(sum(statements) / seconds);
  const writes = sum(statements.filter(({ query }) => /^\s*(insert|update|delete)\b/i.test(query)));
  return {
    statementsPerSecond: perSecond,
    commitsPerSecond: round(commits / seconds),
    writes,
    frequent: statements
      .slice(0, MAX_LISTED)
      .map(({ query, calls }) => `${calls} × ${query.replaceAll(/\s+/g, ' ').slice(0, 100)}`),
    broken:
      perSecond < maxStatementsPerSecond
        ? []
        : [`${perSecond} statements a second, not less than ${maxStatementsPerSecond}`],
  };
}

async function commitsOf(database: OwnPostgres): Promise<number> {
  const [row] = await database.run(
    DATABASE,
    'select xact_commit::int as commits from pg_stat_database where datname = current_database()',
  );
  return Number(row?.['commits']);
}

const round = (value: number) => Math.round(value * 10) / 10;
