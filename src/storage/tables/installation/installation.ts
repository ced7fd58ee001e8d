import { sql } from 'kysely';
import { query } from '../../units/query.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const selectSecret = query()((db) => db.selectFrom('installation').select('secret'));

const putSecret = query<{ secret: Uint8Array }>()((db, parameter) =>
  db.updateTable('installation').set({ secret: parameter.secret }).where('secret', 'is', null),
);

const selectNamespace = query()((db) => db.selectFrom('installation').select('object_namespace'));

const putNamespace = query<{ object_namespace: string }>()((db, parameter) =>
  db
    .updateTable('installation')
    .set({ object_namespace: parameter.object_namespace })
    .where('object_namespace', 'is', null),
);

/** PostgreSQL uses a sequence: one row for all feeds would serialize their transactions. */
const nextNumbers = query<{ count: number }>()((db, parameter, dialect) =>
  dialect === 'sqlite'
    ? db
        .updateTable('installation')
        .set((column) => ({ last_report: column('last_report', '+', parameter.count) }))
        .returning('last_report as number')
    : db
        .selectFrom(
          sql<{ series: number }>`generate_series(1, ${parameter.count}::bigint)`.as('series'),
        )
        .select(sql<number>`nextval('report_number')`.as('number')),
);

const rewrite = query()((db) =>
  db.updateTable('installation').set((column) => ({ id: column.ref('id') })),
);

export function* findSecret(): UnitOfWork<Uint8Array | undefined> {
  return (yield* row(selectSecret, {}))?.secret ?? undefined;
}

/** Stores the secret if there is none. Returns the stored one. */
export function* storeSecretIfAbsent(secret: Uint8Array): UnitOfWork<Uint8Array> {
  yield* rows(putSecret, { secret });
  return (yield* findSecret()) ?? secret;
}

export function* findNamespace(): UnitOfWork<string | undefined> {
  return (yield* row(selectNamespace, {}))?.object_namespace ?? undefined;
}

/** Stores the namespace if there is none. Returns the stored one. */
export function* storeNamespaceIfAbsent(namespace: string): UnitOfWork<string> {
  yield* rows(putNamespace, { object_namespace: namespace });
  return (yield* findNamespace()) ?? namespace;
}

/**
 * Numbers for new reports, in order. Unused ones are lost, which is harmless. The caller has locked
 * the feeds: a reader that continues after a number must not miss a lower one that is committed
 * later.
 */
export function* takeReportNumbers(count: number): UnitOfWork<readonly number[]> {
  const taken = (yield* rows(nextNumbers, { count })).map(({ number }) => number);
  if (taken.length === count) return taken.sort((one, other) => one - other);
  const [last] = taken;
  if (last === undefined) throw new Error('the table installation has no row');
  return Array.from({ length: count }, (_, index) => last - count + 1 + index);
}

/** The smallest possible write, which changes nothing. */
export function* rewriteInstallation(): UnitOfWork<void> {
  yield* rows(rewrite, {});
}
