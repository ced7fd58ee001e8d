import { openDigester } from '../analysis/hashing/digests.ts';
import { type Config, listenUrl } from '../config.ts';
import { serializers } from '../http/responses/present.ts';
import { createLog, type Log } from '../observability/log.ts';
import type { PoolCounts } from '../observability/metrics.ts';
import type { Dependencies } from '../operations/dependencies.ts';
import { AnalysisNews } from '../operations/samples/analysis-news.ts';
import type { Clock } from '../ports/clock.ts';
import type { Queue } from '../ports/queue.ts';
import { openSampleFiles } from '../sample-files/open.ts';
import { openDataFolders } from './data-folders.ts';
import { openSqliteDatabase } from './open-sqlite-database.ts';
import { pooledRandomBytes } from './random-pool.ts';

/** What the command line works on: the store itself, without a server. */
export async function openDependencies(
  config: Config,
  baseUrl = () => config.baseUrl ?? listenUrl(config),
  { probe = false, log = createLog(config.logLevel), statementMs }: OpenOptions = {},
): Promise<OpenDependencies> {
  // Whatever we make is for its owner alone, also in a folder that others may read.
  process.umask(0o077);
  // First: where samples cannot be kept, nothing else has been changed.
  const files = await openSampleFiles(config.samples, config.dataDir, {
    probe,
    makeFolders: () => openDataFolders(config),
  });
  const database = await openDatabase(config, { log, statementMs });
  return {
    files,
    ...database,
    openDigester,
    uploadLimitBytes: config.uploadLimitBytes,
    accountLimits: config.accountLimits,
    news: new AnalysisNews(),
    now: () => database.clock.now(),
    randomBytes: pooledRandomBytes(),
    resultsPage: (sha256) => `${baseUrl()}/files/${sha256}`,
  };
}

export type OpenDependencies = Dependencies & {
  readonly queue: Queue;
  readonly clock: Clock;
  /** Where connections to the database are counted. */
  readonly connections?: () => readonly PoolCounts[];
};

interface OpenOptions {
  /** Whether to find out now that samples cannot be kept. */
  readonly probe?: boolean;
  readonly log?: Log;
  /** How long a statement may take, where that is longer than usual. */
  readonly statementMs?: number | undefined;
}

async function openDatabase(
  { database, databasePool }: Config,
  options: Pick<OpenOptions, 'statementMs'> & { readonly log: Log },
): Promise<Pick<OpenDependencies, 'store' | 'queue' | 'clock' | 'connections'>> {
  if (database.kind === 'sqlite') return openSqlite(database.file);
  const { url } = database;
  // Its driver and its queue are of no use to anybody else, who would wait for them at each start.
  const { openPostgresDatabase } = await import('./open-postgres-database.ts');
  return await openPostgresDatabase({ url, poolSize: databasePool, serializers, ...options });
}

/** SQLite does not say of which file it speaks. */
function openSqlite(file: string) {
  try {
    return openSqliteDatabase(file, serializers);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_SQLITE_ERROR') throw cause;
    throw new Error(`the store in ${file} cannot be opened: ${message}`, { cause });
  }
}
