import pg from 'pg';
import type { Db } from 'pg-boss';

/** The way of pg-boss, and of our own statements on its tables, to the database. */
export class BossDatabase implements Db {
  readonly #pool: pg.Pool;
  readonly #cuts = new Set<() => void>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  executeSql(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.#use((client) => run(client, text, values));
  }

  /** Does all of it or nothing. */
  transact<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
    return this.#use(async (client) => {
      // The statements look again at rows that they had to wait for; a stricter level would refuse them instead.
      await client.query('begin isolation level read committed');
      const result = await work({ executeSql: (text, values) => run(client, text, values) });
      await client.query('commit');
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

/** However the pool reads rows, pg-boss is given them as it knows them. */
function run(client: pg.PoolClient, text: string, values?: unknown[]): Promise<pg.QueryResult> {
  return client.query({ text, types: pg.types, ...(values && { values }) });
}
