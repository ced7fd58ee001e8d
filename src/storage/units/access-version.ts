import { announceAccessChange } from './effects.ts';
import { query } from './query.ts';
import { row, rows, type UnitOfWork } from './unit-of-work.ts';

const selectAccessVersion = query()((db) => db.selectFrom('installation').select('access_version'));

const moveAccessVersion = query()((db) =>
  db
    .updateTable('installation')
    .set((column) => ({ access_version: column('access_version', '+', 1) })),
);

/** Accounts, tokens or services have changed: every node must invalidate its access cache. */
export function* accessChanged(): UnitOfWork<void> {
  yield* rows(moveAccessVersion, {});
  yield* announceAccessChange();
}

/** Grows with every change of accounts, tokens or services. */
export function* findAccessVersion(): UnitOfWork<number> {
  return (yield* row(selectAccessVersion, {}))?.access_version ?? 0;
}
