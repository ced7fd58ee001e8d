import type { UnitOfWork } from '../units/unit-of-work.ts';
import type { Row } from './rows.ts';
import type { MovedTable } from './tables.ts';

/** The source or the target of a move, on a single connection. */
export interface MoveEndpoint {
  /** For messages: without the password. */
  readonly name: string;
  /** Parameters are $1, $2 and so on. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs the work in a transaction, which is rolled back if the work throws. */
  transact<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Only inside `transact`. */
  insert(table: MovedTable, rows: readonly Row[]): Promise<void>;
  /** Only inside `transact`. */
  perform<Result>(work: UnitOfWork<Result>): Promise<Result>;
  /** The non-unique indexes, with the statements that create them. */
  indexes(): Promise<readonly IndexDefinition[]>;
  /** The number of the last report. */
  lastReport(): Promise<number>;
  /** Sets the counters of rows and of reports, so that no number is used again. */
  setNumbers(lastReport: number): Promise<void>;
  /** After the last row: updates statistics and flushes. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface IndexDefinition {
  readonly name: string;
  readonly sql: string;
}
