import pg from 'pg';
import type { Db } from 'pg-boss';

/** A healthy server answers every statement of a worker sooner than that. */
const ANSWER_TIMEOUT_MS = 20_000;

/** Runs the statements of pg-boss on connections of one pool. */
export class BossDatabase implements Db {
  readonly #pool: pg.Pool;
  readonly #answerTimeoutMs: number;
  readonly #cancels = new Set<() => void>();

  constructor(pool: pg.Pool, answerTimeoutMs = ANSWER_TIMEOUT_MS) {
    this.#pool = pool;
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** For the maintenance of pg-boss, which may take as long as the pool allows. */
  executeSql(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.#use((client) => run(client, { text, ...(values && { values }) }));
  }

  /** For the calls of a worker: each statement commits on its own, and fails after the timeout. */
  readonly timed: Db = {
    executeSql: (text, values) => this.#use((client) => this.#runTimed(client, text, values)),
  };

  /** Runs all statements in one transaction, each with the timeout. */
  transact<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return this.#use(async (client) => {
      const db: Db = { executeSql: (text, values) => this.#runTimed(client, text, values) };
      // pg-boss reads rows again after it waited for their lock. A stricter level fails instead.
      await db.executeSql('begin isolation level read committed');
      const result = await work(db);
      await db.executeSql('commit');
      return result;
    });
  }

  /** Ends the connections in use, so their statements fail. */
  cancel(): void {
    for (const cancel of this.#cancels) cancel();
  }

  #runTimed(client: pg.PoolClient, text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return run(client, { text, query_timeout: this.#answerTimeoutMs, ...(values && { values }) });
  }

  /**
   * Closes a connection on which a statement failed. pg-boss sends a whole transaction as one text;
   * if it fails, the transaction stays open, and the next user of the connection would run inside
   * it.
   */
  async #use<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let isReleased = false;
    const release = (isBroken: boolean) => {
      if (!isReleased) client.release(isBroken);
      isReleased = true;
    };
    const cancel = () => release(true);
    this.#cancels.add(cancel);
    // Without a listener, a connection that breaks between two statements ends the process.
    client.on('error', cancel);
    try {
      const result = await work(client);
      release(false);
      return result;
    } finally {
      release(true);
      client.off('error', cancel);
      this.#cancels.delete(cancel);
    }
  }
}

/** The types of pg lack the timeout of a single query. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout?: number;
}

/** pg-boss expects the default type parsers of pg, which the pools of the store replace. */
function run(client: pg.PoolClient, query: TimedQuery): Promise<pg.QueryResult> {
  return client.query({ ...query, types: pg.types });
}
