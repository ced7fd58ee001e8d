import type pg from 'pg';
import type { LockStep } from '../unit-of-work.ts';

/** So many locks there are of each kind: a thousand files need no more than that. Two that fall together only wait. */
const DISTINCT = 1024;
const KINDS: Readonly<Record<LockStep['lock'], number>> = { file: 1, chore: 2, account: 3 };

/** Always in the order of their numbers: two that each wait for what the other has would wait for ever. */
const ORDERED = `(
  select distinct mod(hashtext(key)::bigint + 2147483648, ${DISTINCT})::int as number
  from unnest($2::text[]) as given(key)
  order by number
) as wanted`;

export async function takeLock(client: pg.ClientBase, step: LockStep): Promise<void> {
  const take = step.isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query({
    name: take,
    text: `select ${take}($1::int, number) from ${ORDERED}`,
    values: [KINDS[step.lock], step.keys],
  });
}
