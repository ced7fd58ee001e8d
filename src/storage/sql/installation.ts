import { query, row, rows, type UnitOfWork } from '../unit-of-work.ts';

const selectSecret = query()((db) => db.selectFrom('installation').select('secret'));

const putSecret = query<{ secret: Uint8Array }>()((db, hole) =>
  db.updateTable('installation').set({ secret: hole.secret }).where('secret', 'is', null),
);

const moveLastReport = query<{ by: number }>()((db, hole) =>
  db
    .updateTable('installation')
    .set((column) => ({ last_report: column('last_report', '+', hole.by) }))
    .returning('last_report'),
);

export function* findSecret(): UnitOfWork<Uint8Array | undefined> {
  return (yield* row(selectSecret, {}))?.secret ?? undefined;
}

/** The one that stands, and this one where there is none yet. */
export function* keepSecret(secret: Uint8Array): UnitOfWork<Uint8Array> {
  yield* rows(putSecret, { secret });
  return (yield* findSecret()) ?? secret;
}

/** The first of so many numbers for new reports. Those that are not used are lost, which does no harm. */
export function* takeReportNumbers(count: number): UnitOfWork<number> {
  const moved = yield* row(moveLastReport, { by: count });
  if (moved === undefined) throw new Error('the row of the installation is missing');
  return moved.last_report - count + 1;
}
