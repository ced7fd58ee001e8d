import { sql } from 'kysely';
import { query } from './query.ts';
import { row, rows, type UnitOfWork } from './unit-of-work.ts';

/** Progress of indexing rows that are older than an index, in slices that can be interrupted. */

const selectPosition = query<{ name: string }>()((db, parameter) =>
  db.selectFrom('back_fill').select('position').where('name', '=', parameter.name),
);

const movePosition = query<{ name: string; position: number }>()((db, parameter) =>
  db
    .updateTable('back_fill')
    .set({ position: parameter.position })
    .where('name', '=', parameter.name),
);

const deletePosition = query<{ name: string }>()((db, parameter) =>
  db.deleteFrom('back_fill').where('name', '=', parameter.name),
);

/** The last row processed; `undefined` if the back-fill is complete. */
export function* backFillPosition(name: string): UnitOfWork<number | undefined> {
  return (yield* row(selectPosition, { name }))?.position;
}

/** Records the last row processed, or completion if there was none. */
export function* advanceBackFill(name: string, position: number | undefined): UnitOfWork<void> {
  if (position === undefined) yield* rows(deletePosition, { name });
  else yield* rows(movePosition, { name, position });
}

export const putPosition = query<{ name: string; position: number }>()((db, parameter) =>
  db
    .insertInto('back_fill')
    .values({ name: parameter.name, position: parameter.position })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ position: sql<number>`excluded.position` }),
    ),
);
