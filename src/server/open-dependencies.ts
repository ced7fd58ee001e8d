import { randomBytes } from 'node:crypto';
import { openDigester } from '../analysis/hashing/digests.ts';
import type { Config } from '../config.ts';
import type { KnownLists } from '../domain/lists/known-lists.ts';
import { serializers } from '../http/responses/present.ts';
import { openNetworkTables } from '../networks/open-network-tables.ts';
import type { Log } from '../observability/log.ts';
import type { PoolCounts } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { AnalysisEvents } from '../operations/samples/analysis-events.ts';
import type { Clock } from '../ports/clock.ts';
import type { NetworkTables } from '../ports/networks.ts';
import type { Queue } from '../ports/queue.ts';
import { openSampleFiles } from '../sample-files/open.ts';
import { openDataFolders } from './data-folders.ts';
import { baseLists } from './lists/base-lists.ts';
import { openSqliteDatabase } from './open-sqlite-database.ts';
import { serverUrl } from './server-url.ts';

/** Opens the store, the queue and the sample files of the settings. */
export async function openDependencies(
  config: Config,
  baseUrl = () => serverUrl(config),
  { probe = false, serves = false, log, statementMs }: OpenOptions = {},
): Promise<OpenDependencies> {
  // New files are readable by their owner only, even in a folder that others may read.
  process.umask(0o077);
  const { unknownSettings } = config;
  if (unknownSettings.length > 0)
    log?.warn(
      { variables: unknownSettings },
      'these variables are not settings: they have no effect',
    );
  // First: if a file is wrong or samples cannot be stored, nothing was changed yet.
  const networks = serves ? await openNetworkTables(config) : NO_TABLES;
  const files = await openSampleFiles(config.samples, config.dataDir, {
    probe,
    ...(log && {
      onOutage: (message) =>
        log.error(`${message}; uploads and analyses wait until the bucket answers`),
    }),
    makeFolders: () => openDataFolders(config),
  });
  const database = await openDatabase(config, { log, statementMs });
  return {
    files,
    networks,
    ...database,
    openDigester,
    uploadLimitBytes: config.uploadLimitBytes,
    accountLimits: config.accountLimits,
    sendsMail: config.mail !== undefined,
    analysisEvents: new AnalysisEvents(),
    knownLists: lazyLists(config.allowList),
    now: () => database.clock.now(),
    randomBytes,
    resultsPage: (sha256) => `${baseUrl()}/files/${sha256}`,
    welcomePage: (secret) => `${baseUrl()}/welcome#${secret}`,
  };
}

/** Those of a command, which shows nothing of them. */
const NO_TABLES: NetworkTables = { originOf: () => ({}) };
/** Commands that show no reports need no lists. */
function lazyLists(allowed: Config['allowList']): () => KnownLists {
  let lists: KnownLists | undefined;
  return () => {
    lists ??= baseLists(allowed);
    return lists;
  };
}

export type OpenDependencies = Dependencies & {
  readonly networks: NetworkTables;
  readonly queue: Queue;
  readonly clock: Clock;
  /** The state of the connection pools; PostgreSQL only. */
  readonly connections?: () => readonly PoolCounts[];
};

interface OpenOptions {
  /** Whether to test now that samples can be stored. */
  readonly probe?: boolean;
  /** Whether this process serves HTTP, which needs the offline tables. */
  readonly serves?: boolean;
  readonly log?: Log | undefined;
  /** The statement timeout, if it differs from the default. */
  readonly statementMs?: number | undefined;
}

async function openDatabase(
  { database, databasePool: poolSize, logLevel }: Config,
  { log, statementMs }: Pick<OpenOptions, 'log' | 'statementMs'>,
): Promise<Pick<OpenDependencies, 'store' | 'queue' | 'clock' | 'connections'>> {
  if (database.kind === 'sqlite') return openSqlite(database.file);
  const { url } = database;
  // Loaded on demand: on SQLite the driver, the queue and the log would only slow down a command.
  const [{ openPostgresDatabase }, { createLog }] = await Promise.all([
    import('./open-postgres-database.ts'),
    import('../observability/log.ts'),
  ]);
  return await openPostgresDatabase({
    url,
    poolSize,
    serializers,
    log: log ?? createLog(logLevel),
    statementMs,
  });
}

/** Adds the name of the file to errors of SQLite. */
function openSqlite(file: string) {
  try {
    return openSqliteDatabase(file, serializers);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_SQLITE_ERROR') throw cause;
    throw new Error(`the store in ${file} cannot be opened: ${message}`, { cause });
  }
}
