import { sql } from 'kysely';
import { announceAccessChange, query, row, rows, type UnitOfWork } from '../unit-of-work.ts';

const selectSecret = query()((db) => db.selectFrom('installation').select('secret'));

const putSecret = query<{ secret: Uint8Array }>()((db, parameter) =>
  db.updateTable('installation').set({ secret: parameter.secret }).where('secret', 'is', null),
);

/** On PostgreSQL a sequence: one row for all feeds would let all of them wait for each other. */
const nextNumbers = query<{ count: number }>()((db, parameter, dialect) =>
  dialect === 'sqlite'
    ? db
        .updateTable('installation')
        .set((column) => ({ last_report: column('last_report', '+', parameter.count) }))
        .returning('last_report as number')
    : db
        .selectFrom(
          sql<{ place: number }>`generate_series(1, ${parameter.count}::bigint)`.as('series'),
        )
        .select(sql<number>`nextval('report_number')`.as('number')),
);

const moveAccessVersion = query()((db) =>
  db
    .updateTable('installation')
    .set((column) => ({ access_version: column('access_version', '+', 1) })),
);

const rewrite = query()((db) =>
  db.updateTable('installation').set((column) => ({ id: column.ref('id') })),
);

export function* findSecret(): UnitOfWork<Uint8Array | undefined> {
  return (yield* row(selectSecret, {}))?.secret ?? undefined;
}

/** The one that stands, and this one where there is none yet. */
export function* keepSecret(secret: Uint8Array): UnitOfWork<Uint8Array> {
  yield* rows(putSecret, { secret });
  return (yield* findSecret()) ?? secret;
}

/**
 * So many numbers for new reports, in order. Those that are not used are lost, which does no harm. Their feeds must be
 * locked by then: whoever reads on from a number must not find a lower one later.
 */
export function* takeReportNumbers(count: number): UnitOfWork<readonly number[]> {
  const taken = (yield* rows(nextNumbers, { count })).map(({ number }) => number);
  if (taken.length === count) return taken.sort((one, other) => one - other);
  const [last] = taken;
  if (last === undefined) throw new Error('the row of the installation is missing');
  return Array.from({ length: count }, (_, place) => last - count + 1 + place);
}

/** Whatever decides who may do what has changed: every node must forget what it remembers of that. */
export function* accessChanged(): UnitOfWork<void> {
  yield* rows(moveAccessVersion, {});
  yield* announceAccessChange();
}

/** The smallest write there is: it changes nothing. */
export function* rewriteInstallation(): UnitOfWork<void> {
  yield* rows(rewrite, {});
}
