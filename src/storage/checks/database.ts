import { sql } from 'kysely';
import { rows } from '../units/unit-of-work.ts';
import { type Check, MAX_FINDINGS, statement } from './check.ts';

/**
 * SQLite checks its pages and indexes; on PostgreSQL, indexes that were not completed are found.
 */
const selectDamage = statement<{ damage: string }>((_, dialect) =>
  dialect === 'sqlite'
    ? sql`select quick_check as damage from pragma_quick_check where quick_check <> 'ok' limit ${sql.lit(MAX_FINDINGS)}`
    : sql`
      select 'index ' || indexrelid::regclass::text || ' is not valid' as damage
      from pg_index where not indisvalid limit ${sql.lit(MAX_FINDINGS)}`,
);

export const database: Check = {
  name: 'the database itself',
  *part() {
    const found = yield* rows(selectDamage, {});
    return { examined: 1, wrong: found.map(({ damage }) => damage), next: undefined };
  },
};
