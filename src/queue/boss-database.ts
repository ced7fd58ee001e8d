import pg from 'pg';
import type { Db } from 'pg-boss';

/** Whatever a worker waits for is answered sooner, or the server is gone without a word. */
const ANSWER_MS = 20_000;

/** The way of pg-boss, and of our own statements on its tables, to the database. */
export class BossDatabase implements Db {
  readonly #pool: pg.Pool;
  readonly #answerMs: number;
  readonly #cuts = new Set<() => void>();

  constructor(pool: pg.Pool, answerMs = ANSWER_MS) {
    this.#pool = pool;
    this.#answerMs = answerMs;
  }

  /** For its upkeep, which may take as long as the pool allows. */
  executeSql(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.#use((client) => run(client, { text, ...(values && { values }) }));
  }

  /** One statement on its own, soon: what it locks is free when it ends, even if this process never hears of that. */
  executeSoon(text: string, values: unknown[]): Promise<pg.QueryResult> {
    return this.#use((client) => run(client, { text, values, query_timeout: this.#answerMs }));
  }

  /** Does all of it or nothing, and each of its statements soon. */
  transact<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return this.#use(async (client) => {
      const soon = (text: string, values?: unknown[]) =>
        run(client, { text, query_timeout: this.#answerMs, ...(values && { values }) });
      // The statements look again at rows that they had to wait for; a stricter level would refuse them instead.
      await soon('begin isolation level read committed');
      const result = await work({ executeSql: soon });
      await soon('commit');
      return result;
    });
  }

  /** Ends the connections of what is under way, which fails by that. */
  cut(): void {
    for (const cut of this.#cuts) cut();
  }

  /**
   * A connection on which anything failed is not used again: what pg-boss sends holds whole transactions in one text,
   * and one that fails stays open, so that whoever came next would find itself inside it.
   */
  async #use<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let isHeld = true;
    const release = (isBroken: boolean) => {
      if (isHeld) client.release(isBroken);
      isHeld = false;
    };
    const cut = () => release(true);
    this.#cuts.add(cut);
    // One that breaks between two statements has nobody else to tell; unheard it would end the process.
    client.on('error', cut);
    try {
      const result = await work(client);
      release(false);
      return result;
    } finally {
      release(true);
      client.off('error', cut);
      this.#cuts.delete(cut);
    }
  }
}

/** The types of pg do not know that a query may have a time of its own. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout?: number;
}

/** However the pool reads rows, pg-boss is given them as it knows them. */
function run(client: pg.PoolClient, query: TimedQuery): Promise<pg.QueryResult> {
  return client.query({ ...query, types: pg.types });
}
