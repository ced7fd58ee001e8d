import type { LockStep } from '../units/steps.ts';
import type { BoundStatement } from './statement-pipeline.ts';

/**
 * Advisory locks per kind. It bounds the entries in the lock table of the server when a unit locks
 * thousands of files. Two keys with the same number only wait for each other.
 */
const DISTINCT = 1024;
/** Part of the lock's key: nodes of all versions must agree. */
const KINDS: Readonly<Record<LockStep['on'], number>> = {
  file: 1,
  task: 2,
  account: 3,
  routes: 4,
};

/** Locks are taken in ascending order, so that two transactions cannot deadlock. */
const ORDERED = `(
  select distinct mod(hashtext(key)::bigint + 2147483648, ${DISTINCT})::int as number
  from unnest($2::text[]) as key
  order by number
) as locks`;

export function lockStatement({ on, keys, isShared }: LockStep): BoundStatement {
  const take = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  return {
    name: take,
    text: `select ${take}($1::int, number) from ${ORDERED}`,
    values: [KINDS[on], keys],
  };
}
