import { query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';

/** Work on rows that were there before an index was: a few at a time, going on where it was interrupted. */

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

/** The last row that was looked at; `undefined` where nothing is left to do. */
export function* positionOf(name: string): UnitOfWork<number | undefined> {
  return (yield* row(selectPosition, { name }))?.position;
}

/** Notes how far it is: to that row, or through where there was none left. */
export function* moveTo(name: string, position: number | undefined): UnitOfWork<void> {
  if (position === undefined) yield* rows(deletePosition, { name });
  else yield* rows(movePosition, { name, position });
}
