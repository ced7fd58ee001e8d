import type pg from 'pg';
import { type Admission, SELECT_OLDEST } from '../admission.ts';
import { codeOf } from './failures.ts';
import type { BoundStatement, PipelineRows } from './statement-pipeline.ts';

/**
 * Before the first query of a transaction with a single snapshot. A query takes its snapshot before
 * it waits for a lock, so it would not show what a migration commits during the wait, and would
 * find tables empty that the migration rewrites.
 */
export const LOCK_ADMISSION = 'lock table admission in access share mode';

/** The opening of every read transaction. It is sent with the first step, without a round trip. */
export const OPEN_READ: readonly BoundStatement[] = [
  {
    name: 'begin_read',
    text: 'begin isolation level repeatable read read only',
    values: [],
  },
  { name: 'lock_admission', text: LOCK_ADMISSION, values: [] },
  { name: 'admission', text: SELECT_OLDEST, values: [] },
];

/** What the last of these statements has returned. */
export function oldestIn(opened: PipelineRows): unknown {
  return opened.at(-1)?.[0]?.['oldest_schema'];
}

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: the marker of a transaction is
 * refused; or a table, a column, a type or a function is not the one that this version knows.
 */
const REFUSALS = /^(?:23502|42P01|42703|42704|42804|42883)$/;

/** Whether the failure of a transaction may have the reason that the store does not admit it. */
function mayBeRefusal(cause: unknown): boolean {
  return REFUSALS.test(codeOf(cause) ?? '');
}

export async function findOldest(connection: pg.Pool | pg.ClientBase): Promise<unknown> {
  const { rows } = await connection.query<{ oldest_schema: unknown }>(SELECT_OLDEST);
  return rows[0]?.oldest_schema;
}

/** Runs a transaction, unless the store does not admit this node any more. */
export async function runAdmitted<Result>(
  admission: Admission,
  reads: pg.Pool,
  run: () => Promise<Result>,
): Promise<Result> {
  admission.require();
  try {
    return await run();
  } catch (cause) {
    if (mayBeRefusal(cause)) admission.check(await findOldest(reads).catch(() => undefined));
    throw cause;
  }
}
