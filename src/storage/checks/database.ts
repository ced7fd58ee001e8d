import { sql } from 'kysely';
import { rows } from '../unit-of-work.ts';
import { type Check, MOST_SHOWN, statement } from './check.ts';

/** SQLite tells whether its pages and indexes fit together; PostgreSQL which indexes were left unfinished. */
const selectDamage = statement<{ damage: string }>((_, dialect) =>
  dialect === 'sqlite'
    ? sql`select quick_check as damage from pragma_quick_check where quick_check <> 'ok' limit ${sql.lit(MOST_SHOWN)}`
    : sql`
      select 'index ' || indexrelid::regclass::text || ' is not valid' as damage
      from pg_index where not indisvalid limit ${sql.lit(MOST_SHOWN)}`,
);

export const database: Check = {
  name: 'the database itself',
  *part() {
    const found = yield* rows(selectDamage, {});
    return { looked: 1, wrong: found.map(({ damage }) => damage), next: undefined };
  },
};
