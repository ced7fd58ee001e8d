import type { UnitOfWork } from '../unit-of-work.ts';
import type { Row } from './rows.ts';
import type { MovedTable } from './tables.ts';

/** One of the two stores of a move, on a single connection. */
export interface Side {
  /** For people: without a password. */
  readonly name: string;
  /** Arguments stand as $1, $2 and so on. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** What was begun is undone where the work fails. */
  transact<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Inside of `transact`. */
  insert(table: MovedTable, rows: readonly Row[]): Promise<void>;
  /** Inside of `transact`. */
  perform<Result>(work: UnitOfWork<Result>): Promise<Result>;
  /** Those that do not hold a rule, of all tables that are filled: each with the statement that makes it. */
  indexes(): Promise<readonly SideIndex[]>;
  /** The number of the last report. */
  lastReport(): Promise<number>;
  /** So that nothing that is given from now on was given before: numbers of rows, and of reports. */
  setNumbers(lastReport: number): Promise<void>;
  /** After the last row: whatever the database itself needs to know or to write down. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface SideIndex {
  readonly name: string;
  readonly sql: string;
}
