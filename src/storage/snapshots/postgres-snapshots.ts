import type pg from 'pg';
import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import type { ExportedReport } from '../../domain/reports/exported-report.ts';
import type { FeedSnapshot, FeedSnapshots, SnapshotQuery } from '../../ports/feed-snapshots.ts';
import type { FeedScope } from '../../ports/feed-store.ts';
import { Admission } from '../admission.ts';
import { findOldest, LOCK_ADMISSION } from '../postgres/admission.ts';
import { toArgument } from '../postgres/columns.ts';
import { connectWithoutTimeouts } from '../postgres/open.ts';
import { queryBuilder } from '../postgres/query-builder.ts';
import { Statements } from '../postgres/statements.ts';
import { feedStates, type NumberedFeed } from '../tables/services/feed-states.ts';
import type { UnitOfWork } from '../units/unit-of-work.ts';
import { rowReader } from './snapshot-rows.ts';
import { snapshotStatement } from './snapshot-statement.ts';

const BATCH = 1000;
/** All rows will be read, so the plan must be the cheapest for all of them. */
const SETTINGS = '-c cursor_tuple_fraction=1 -c random_page_cost=1';

/**
 * Far more than sorting all reports takes. A statement that hangs, for example because of a lock,
 * would hold one of the few builds forever.
 */
const STATEMENT_MS = 10 * MINUTE_MS;
/** The server answers first, unless it cannot be reached any more. */
const ANSWER_MS = 30 * SECOND_MS;

export function postgresSnapshots(url: string, statementMs = STATEMENT_MS): FeedSnapshots {
  const settings = `${SETTINGS} -c statement_timeout=${statementMs}`;
  return {
    open: async (scope) => {
      const client = await connectWithoutTimeouts(url, settings, statementMs + ANSWER_MS);
      try {
        await client.query(`begin isolation level repeatable read, read only; ${LOCK_ADMISSION}`);
        new Admission().check(await findOldest(client));
        return new PostgresSnapshot(client, await perform(client, feedStates(scope)), scope);
      } catch (cause) {
        await client.end().catch(() => undefined);
        throw cause;
      }
    },
  };
}

/** Runs a unit of work that only reads. */
async function perform<Result>(client: pg.Client, work: UnitOfWork<Result>): Promise<Result> {
  const statements = new Statements();
  let next = work.next([]);
  while (!next.done) {
    const { value: step } = next;
    if (step.kind !== 'query') throw new Error('a snapshot only runs queries');
    next = work.next(await statements.run(client, step));
  }
  return next.value;
}

class PostgresSnapshot implements FeedSnapshot {
  readonly #client: pg.Client;
  readonly #feeds: readonly NumberedFeed[];
  readonly #scope: FeedScope;
  #cursors = 0;

  constructor(client: pg.Client, feeds: readonly NumberedFeed[], scope: FeedScope) {
    this.#client = client;
    this.#feeds = feeds;
    this.#scope = scope;
  }

  async feeds(): Promise<readonly NumberedFeed[]> {
    return this.#feeds;
  }

  async *reports(query: SnapshotQuery): AsyncGenerator<readonly ExportedReport[], void> {
    const [feed] = this.#feeds;
    if (feed === undefined) return;
    const serviceId = this.#scope === undefined ? undefined : feed.id;
    const options = { db: queryBuilder, dialect: 'postgres', serviceId } as const;
    const { sql, parameters } = snapshotStatement(query, options);
    this.#cursors += 1;
    const cursor = `export_${this.#cursors}`;
    await this.#client.query(
      `declare ${cursor} no scroll cursor for ${sql}`,
      parameters.map(toArgument),
    );
    const read = rowReader(
      query,
      new Map(this.#feeds.map(({ id, service }) => [id, service.slug])),
    );
    for (;;) {
      const { rows } = await this.#client.query<unknown[]>({
        text: `fetch ${BATCH} from ${cursor}`,
        rowMode: 'array',
      });
      if (rows.length > 0) yield rows.map(read);
      if (rows.length < BATCH) break;
    }
    await this.#client.query(`close ${cursor}`);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
