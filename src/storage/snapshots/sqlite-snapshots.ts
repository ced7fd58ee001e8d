import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { FeedSnapshot, FeedSnapshots, SnapshotQuery } from '../../ports/feed-snapshots.ts';
import type { FeedScope } from '../../ports/feed-store.ts';
import { Admission, SELECT_OLDEST } from '../admission.ts';
import { queryBuilder } from '../sqlite/query-builder.ts';
import { Statements } from '../sqlite/statements.ts';
import { feedStates, type NumberedFeed } from '../tables/services/feed-states.ts';
import { rowReader } from './snapshot-rows.ts';
import { snapshotStatement } from './snapshot-statement.ts';

/**
 * The reports of a batch. More of them would outlive two collections of the young generation while
 * they are formatted, and fill the old one with garbage.
 */
const BATCH = 64;
const BUSY_TIMEOUT_MS = 5000;
const CACHE_KIB = 4 * 1024;

/** For a thread of its own: reads are synchronous. Sorts larger than the cache use the disk. */
export function sqliteSnapshots(file: string): FeedSnapshots {
  return {
    open: async (scope) => {
      const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      try {
        db.exec(`pragma cache_size = -${CACHE_KIB}; pragma temp_store = file; begin`);
        // A transaction sees the store as of its first statement.
        new Admission().check(db.prepare(SELECT_OLDEST).get()?.['oldest_schema']);
        return new SqliteSnapshot(db, new Statements(db).perform(feedStates(scope)), scope);
      } catch (cause) {
        db.close();
        throw cause;
      }
    },
  };
}

class SqliteSnapshot implements FeedSnapshot {
  readonly #db: DatabaseSync;
  readonly #feeds: readonly NumberedFeed[];
  readonly #scope: FeedScope;

  constructor(db: DatabaseSync, feeds: readonly NumberedFeed[], scope: FeedScope) {
    this.#db = db;
    this.#feeds = feeds;
    this.#scope = scope;
  }

  async feeds(): Promise<readonly NumberedFeed[]> {
    return this.#feeds;
  }

  async *reports(query: SnapshotQuery): AsyncGenerator<readonly ExportedReport[], void> {
    const read = rowReader(
      query,
      new Map(this.#feeds.map(({ id, service }) => [id, service.slug])),
    );
    let batch: ExportedReport[] = [];
    for (const row of this.#rows(query)) {
      batch.push(read(row));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #rows(query: SnapshotQuery): Iterable<readonly unknown[]> {
    const [feed] = this.#feeds;
    if (feed === undefined) return [];
    const serviceId = this.#scope === undefined ? undefined : feed.id;
    const options = { db: queryBuilder, dialect: 'sqlite', serviceId } as const;
    const { sql, parameters } = snapshotStatement(query, options);
    const statement: StatementSync = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    // With arrays the rows are no objects, which the types do not express.
    return statement.iterate(...(parameters as SQLInputValue[])) as unknown as Iterable<unknown[]>;
  }
}
