import type { Findings } from '../../../domain/proposals/proposal.ts';
import { query } from '../../units/query.ts';
import { row, type UnitOfWork } from '../../units/unit-of-work.ts';
import { c2sOf } from './sample-c2s.ts';

const selectShown = query<{ sampleId: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .leftJoin('fuzzy_hash', 'fuzzy_hash.id', 'sample.id')
    .select(['sample.family', 'fuzzy_hash.tags'])
    .where('sample.id', '=', parameter.sampleId),
);

/** What the stored analysis of a sample says, without reading the analysis itself. */
export function* findingsOf(sampleId: number): UnitOfWork<Findings> {
  const shown = yield* row(selectShown, { sampleId });
  return {
    c2s: yield* c2sOf(sampleId),
    tags: shown?.tags ? JSON.parse(shown.tags) : [],
    family: shown?.family ?? undefined,
  };
}
