import type { Serializers } from '../../../ports/store.ts';
import { SearchTerms } from '../../tables/search/search-terms.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { lockTask, query, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { putSampleTexts, removeSampleTexts } from './search-samples.ts';

const REPORTS = 'search_report';
const SAMPLES = 'search_sample';

const selectReports = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('report')
    .select(['number', 'service_id', 'name', 'tags', 'host'])
    .where('number', '>', parameter.after)
    .orderBy('number')
    .limit(parameter.limit),
);

/** Only samples with a row in `fuzzy_hash`; another back-fill adds it to the others first. */
const selectSamples = query<{ after: number; limit: number }>()((db, parameter) =>
  db
    .selectFrom('sample')
    .innerJoin('fuzzy_hash', 'fuzzy_hash.id', 'sample.id')
    .select(['sample.id', 'sample.family', 'sample.body'])
    .where('sample.id', '>', parameter.after)
    .orderBy('sample.id')
    .limit(parameter.limit),
);

/** Indexes old reports and samples, at most `limit` of each. Returns the number processed. */
export function* backfillSearch(limit: number, serializers: Serializers): UnitOfWork<number> {
  yield* lockTask('index old');
  return (yield* indexReports(limit)) + (yield* indexSamples(limit, serializers));
}

function* indexReports(limit: number): UnitOfWork<number> {
  const after = yield* backFillPosition(REPORTS);
  if (after === undefined) return 0;
  const reports = yield* rows(selectReports, { after, limit });
  const terms = new SearchTerms();
  for (const { service_id, name, tags, host } of reports)
    yield* terms.add(service_id, { name, tags: JSON.parse(tags), host });
  yield* advanceBackFill(REPORTS, reports.at(-1)?.number);
  return reports.length;
}

function* indexSamples(limit: number, serializers: Serializers): UnitOfWork<number> {
  const after = yield* backFillPosition(SAMPLES);
  if (after === undefined || serializers.readAnalysis === undefined) return 0;
  if ((yield* backFillPosition('fuzzy_hash')) !== undefined) return 0;
  const samples = yield* rows(selectSamples, { after, limit });
  const found = samples.flatMap(({ id, family, body }) => {
    const texts = serializers.readAnalysis?.(body);
    return texts === undefined
      ? []
      : [{ sampleId: id, texts: { ...texts, family: family ?? undefined } }];
  });
  // A sample that was stored again since has its words already.
  yield* removeSampleTexts(found.map(({ sampleId }) => sampleId));
  yield* putSampleTexts(found);
  yield* advanceBackFill(SAMPLES, samples.at(-1)?.id);
  return samples.length;
}
