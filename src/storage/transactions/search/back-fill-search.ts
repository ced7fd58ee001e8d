import type { Serializers } from '../../../ports/store.ts';
import { selectAfter } from '../../tables/reports/report-walks.ts';
import { selectSamples } from '../../tables/samples/unindexed-samples.ts';
import { SearchTerms } from '../../tables/search/search-terms.ts';
import { advanceBackFill, backFillPosition } from '../../units/back-fill.ts';
import { lockTask } from '../../units/locks.ts';
import { rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { putSampleTexts, removeSampleTexts } from './search-samples.ts';

const REPORTS = 'search_report';

const SAMPLES = 'search_sample';

/** Indexes old reports and samples, at most `limit` of each. Returns the number processed. */
export function* backfillSearch(limit: number, serializers: Serializers): UnitOfWork<number> {
  yield* lockTask('index old');
  return (yield* indexReports(limit)) + (yield* indexSamples(limit, serializers));
}

function* indexReports(limit: number): UnitOfWork<number> {
  const after = yield* backFillPosition(REPORTS);
  if (after === undefined) return 0;
  const reports = yield* rows(selectAfter, { after, limit });
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
