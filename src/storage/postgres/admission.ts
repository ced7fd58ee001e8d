import type pg from 'pg';
import { type Admission, SELECT_OLDEST } from '../admission.ts';
import { codeOf } from './failures.ts';
import type { BoundStatement } from './statement-group.ts';

/** Part of the opening of every read transaction, so it costs no round trip. */
export const SELECT_ADMISSION: BoundStatement = {
  name: 'admission',
  text: SELECT_OLDEST,
  values: [],
};

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
