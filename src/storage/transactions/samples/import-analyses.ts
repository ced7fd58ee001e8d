import type { AnalysisReport } from '../../../domain/samples/analysis-report.ts';
import type { Authority } from '../../../ports/authority.ts';
import type { StoreOutcome } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { requireRights } from '../../tables/accounts/permission.ts';
import { removeC2s } from '../../tables/samples/sample-c2s.ts';
import { removeDetails } from '../../tables/samples/sample-details.ts';
import { settleFailedUploads } from '../../tables/samples/uploads.ts';
import { indexNow } from '../../tables/search/fuzzy-index.ts';
import { removeTlsh } from '../../tables/search/tlsh-index.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { withdrawProposals } from '../proposals/remove-proposals.ts';
import { lockReportsOf, reevaluateReportsOf } from '../reports/reevaluate-reports.ts';
import { batchesOf, writeAnalyses, writtenAmong } from './write-analyses.ts';

/** Larger imports leave the index of similar files to housekeeping. */
const MAX_INDEXED_AT_ONCE = 10;

export function* importAnalyses(
  analyses: readonly AnalysisReport[],
  at: Date,
  serializers: Serializers,
  authority?: Authority,
): UnitOfWork<readonly StoreOutcome[]> {
  if (authority !== undefined) yield* requireRights(authority, { role: 'admin', now: at });
  const outcomes: StoreOutcome[] = [];
  const locked = yield* lockReportsOf(analyses.map(({ sha256 }) => sha256));
  for (const batch of batchesOf(analyses, serializers)) {
    const written = yield* writeAnalyses(batch);
    outcomes.push(...written.map(({ outcome }) => outcome));
    const changed = writtenAmong(written);
    // The details of our own analysis do not apply to an imported one.
    const replaced = changed.filter(({ outcome }) => outcome === 'replaced');
    yield* removeDetails(replaced.map(({ sampleId }) => sampleId));
    yield* removeC2s(replaced.map(({ sampleId }) => sampleId));
    yield* removeTlsh(replaced.map(({ sampleId }) => sampleId));
    yield* withdrawProposals(replaced.map(({ report }) => report.sha256));
    const hashes = changed.map(({ report }) => report.sha256);
    yield* reevaluateReportsOf(hashes, locked, at, serializers);
    yield* settleFailedUploads(hashes, at);
    if (analyses.length <= MAX_INDEXED_AT_ONCE)
      for (const { sampleId } of changed) yield* indexNow(sampleId);
  }
  yield* locked.counts.write();
  return outcomes;
}
