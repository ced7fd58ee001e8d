import { BEING_MOVED } from '../migrate.ts';
import { formatKey, type Key, parseKey } from './rows.ts';
import type { Side, SideIndex } from './side.ts';

/** How far a part of the move is. */
export interface Note {
  readonly position: Key | undefined;
  readonly rows: number;
  readonly isDone: boolean;
}

/** The row that tells which source it is. */
const SOURCE = 'source';
/** Begins the names of rows that tell how an index is made again. */
const INDEX = 'index ';
const NONE: Note = { position: undefined, rows: 0, isDone: false };

/**
 * What a move notes in its target, each time in the transaction of what it has put there. While it lasts, a mark among
 * the migrations keeps every program from taking the target for a store.
 */
export class Notes {
  readonly #target: Side;
  readonly #notes = new Map<string, Note>();

  constructor(target: Side) {
    this.#target = target;
  }

  /** Says in the target that it is to become that source. */
  async begin(source: string): Promise<void> {
    await this.#target.transact(async () => {
      await this.#target.query(
        'create table moving (name text primary key, position text not null, rows bigint not null, is_done bigint not null)',
      );
      await this.#target.query('insert into moving values ($1, $2, 0, 1)', [SOURCE, source]);
      await this.#target.query('insert into migration (name, applied_at) values ($1, $2)', [
        BEING_MOVED,
        new Date().toISOString(),
      ]);
      // Filled row by row, they would take most of the time; they are made anew when all rows are there.
      for (const { name, sql } of await this.#target.indexes()) {
        await this.#target.query('insert into moving values ($1, $2, 0, 0)', [INDEX + name, sql]);
        await this.#target.query(`drop index ${name}`);
      }
    });
  }

  /** Those that are still to be made again. */
  async indexes(): Promise<readonly SideIndex[]> {
    const found = await this.#target.query(
      'select name, position from moving where is_done = 0 order by name',
    );
    return found
      .filter(([name]) => String(name).startsWith(INDEX))
      .map(([name, sql]) => ({ name: String(name).slice(INDEX.length), sql: String(sql) }));
  }

  async makeIndex({ name, sql }: SideIndex): Promise<void> {
    await this.#target.transact(async () => {
      await this.#target.query(sql);
      await this.#target.query('update moving set is_done = 1 where name = $1', [INDEX + name]);
    });
  }

  /** Which source the target was to become, as it was said when it was begun. */
  async takeUp(): Promise<string> {
    const found = await this.#target.query('select name, position, rows, is_done from moving');
    let source = '';
    for (const [name, position, rows, isDone] of found) {
      if (name === SOURCE) source = String(position);
      else if (!String(name).startsWith(INDEX))
        this.#notes.set(String(name), {
          position: position === '' ? undefined : parseKey(String(position)),
          rows: Number(rows),
          isDone: isDone === 1,
        });
    }
    return source;
  }

  of(name: string): Note {
    return this.#notes.get(name) ?? NONE;
  }

  rowsOf(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + this.of(name).rows, 0);
  }

  /** Does the work and notes it, both or neither. */
  async advance(name: string, note: Note, work: () => Promise<void>): Promise<void> {
    await this.#target.transact(async () => {
      await work();
      const position = note.position === undefined ? '' : formatKey(note.position);
      await this.#target.query(
        `insert into moving values ($1, $2, $3, $4)
          on conflict (name) do update set position = $2, rows = $3, is_done = $4`,
        [name, position, note.rows, Number(note.isDone)],
      );
    });
    this.#notes.set(name, note);
  }

  /** From now on it is a store. */
  async end(): Promise<void> {
    await this.#target.transact(async () => {
      await this.#target.query('drop table moving');
      await this.#target.query('delete from migration where name = $1', [BEING_MOVED]);
    });
  }
}
