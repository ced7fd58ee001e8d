import { sql } from 'kysely';
import { all, query } from '../../units/query.ts';
import { each, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

const upsertDetails = query<{ sample_id: number; body: string }>()((db, parameter) =>
  db
    .insertInto('sample_detail')
    .values(all(parameter, ['sample_id', 'body']))
    .onConflict((conflict) => conflict.column('sample_id').doUpdateSet({ body: parameter.body })),
);

const selectDetails = query<{ sampleId: number }>()((db, parameter) =>
  db.selectFrom('sample_detail').select('body').where('sample_id', '=', parameter.sampleId),
);

const selectDetailsSize = query<{ sampleId: number }>()((db, parameter) =>
  db
    .selectFrom('sample_detail')
    .select(sql<number>`octet_length(body)`.as('size'))
    .where('sample_id', '=', parameter.sampleId),
);

const deleteDetails = query<{ sampleId: number }>()((db, parameter) =>
  db.deleteFrom('sample_detail').where('sample_id', '=', parameter.sampleId),
);

export function* putDetails(sampleId: number, body: string): UnitOfWork<void> {
  yield* rows(upsertDetails, { sample_id: sampleId, body });
}

export function* findDetails(sampleId: number): UnitOfWork<string | undefined> {
  return (yield* row(selectDetails, { sampleId }))?.body;
}

export function* findDetailsSize(sampleId: number): UnitOfWork<number | undefined> {
  return (yield* row(selectDetailsSize, { sampleId }))?.size;
}

/** The details of samples that were analysed here: imported ones have none. */
export function* analysedHere(sampleIds: readonly number[]): UnitOfWork<ReadonlySet<number>> {
  const sizes = yield* each(
    selectDetailsSize,
    sampleIds.map((sampleId) => ({ sampleId })),
  );
  return new Set(sampleIds.filter((_, index) => sizes[index]?.[0] !== undefined));
}

export function* removeDetails(sampleIds: readonly number[]): UnitOfWork<void> {
  yield* each(
    deleteDetails,
    sampleIds.map((sampleId) => ({ sampleId })),
  );
}
