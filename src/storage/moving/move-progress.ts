import { BEING_MOVED } from '../migrate.ts';
import type { IndexDefinition, MoveEndpoint } from './move-endpoint.ts';
import { formatKey, type Key, parseKey } from './rows.ts';

/** The progress of one table, or of one derived part. */
export interface PartProgress {
  /** The key of the last row moved. */
  readonly position: Key | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

/** The row with the fingerprint of the source. */
const SOURCE = 'source';
/** Prefixes the names of rows with the definition of a dropped index. */
const INDEX_PREFIX = 'index ';
const NONE: PartProgress = { position: undefined, rows: 0, isDone: false };

/**
 * The progress of a move, in the table `moving` of the target. It is written in the transaction of
 * the rows. During the move an entry among the migrations keeps servers from using the target as a
 * store.
 */
export class MoveProgress {
  readonly #target: MoveEndpoint;
  readonly #parts = new Map<string, PartProgress>();

  constructor(target: MoveEndpoint) {
    this.#target = target;
  }

  async start(fingerprint: string): Promise<void> {
    await this.#target.transact(async () => {
      await this.#target.query(
        'create table moving (name text primary key, position text not null, rows bigint not null, is_done bigint not null)',
      );
      await this.#target.query('insert into moving values ($1, $2, 0, 1)', [SOURCE, fingerprint]);
      await this.#target.query('insert into migration (name, applied_at) values ($1, $2)', [
        BEING_MOVED,
        new Date().toISOString(),
      ]);
      // The built-in service, the only row of an empty store; that of the source replaces it.
      await this.#target.query('delete from service');
      // Maintaining the indexes row by row takes most of the time, so they are created after the
      // rows.
      for (const { name, sql } of await this.#target.indexes()) {
        await this.#target.query('insert into moving values ($1, $2, 0, 0)', [
          INDEX_PREFIX + name,
          sql,
        ]);
        await this.#target.query(`drop index ${name}`);
      }
    });
  }

  /** The dropped indexes that were not created again yet. */
  async indexes(): Promise<readonly IndexDefinition[]> {
    const found = await this.#target.query(
      'select name, position from moving where is_done = 0 order by name',
    );
    return found
      .filter(([name]) => String(name).startsWith(INDEX_PREFIX))
      .map(([name, sql]) => ({ name: String(name).slice(INDEX_PREFIX.length), sql: String(sql) }));
  }

  async makeIndex({ name, sql }: IndexDefinition): Promise<void> {
    await this.#target.transact(async () => {
      await this.#target.query(sql);
      await this.#target.query('update moving set is_done = 1 where name = $1', [
        INDEX_PREFIX + name,
      ]);
    });
  }

  /** Reads the progress of an earlier move. Returns the fingerprint of its source. */
  async resume(): Promise<string> {
    const found = await this.#target.query('select name, position, rows, is_done from moving');
    let fingerprint = '';
    for (const [name, position, rows, isDone] of found) {
      if (name === SOURCE) fingerprint = String(position);
      else if (!String(name).startsWith(INDEX_PREFIX))
        this.#parts.set(String(name), {
          position: position === '' ? undefined : parseKey(String(position)),
          rows: Number(rows),
          isDone: isDone === 1,
        });
    }
    return fingerprint;
  }

  of(name: string): PartProgress {
    return this.#parts.get(name) ?? NONE;
  }

  rowsOf(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + this.of(name).rows, 0);
  }

  /** Does the work and records the progress in one transaction. */
  async advance(name: string, part: PartProgress, work: () => Promise<void>): Promise<void> {
    await this.#target.transact(async () => {
      await work();
      const position = part.position === undefined ? '' : formatKey(part.position);
      await this.#target.query(
        `insert into moving values ($1, $2, $3, $4)
          on conflict (name) do update set position = $2, rows = $3, is_done = $4`,
        [name, position, part.rows, Number(part.isDone)],
      );
    });
    this.#parts.set(name, part);
  }

  /** Makes the target a store. */
  async finish(): Promise<void> {
    await this.#target.transact(async () => {
      await this.#target.query('drop table moving');
      await this.#target.query('delete from migration where name = $1', [BEING_MOVED]);
    });
  }
}
