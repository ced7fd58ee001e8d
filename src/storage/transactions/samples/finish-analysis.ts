import type { Analysis } from '../../../domain/samples/analysis.ts';
import type { StoreOutcome } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { uploadersOf } from '../../tables/proposals/further-uploads.ts';
import { putC2s } from '../../tables/samples/sample-c2s.ts';
import { putDetails } from '../../tables/samples/sample-details.ts';
import { endUpload } from '../../tables/samples/uploads.ts';
import { indexNow } from '../../tables/search/fuzzy-index.ts';
import { putTlsh } from '../../tables/search/tlsh-index.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { proposeReports } from '../proposals/propose-reports.ts';
import { lockReportsOf, reevaluateReportsOf } from '../reports/reevaluate-reports.ts';
import { prepareAnalysis, writeAnalyses } from './write-analyses.ts';

/** The reason of an upload whose analysis conflicts with a stored one. */
const CONFLICT = 'one of its hashes is already that of another file';

export function* finishAnalysis(
  { report, details }: Analysis,
  at: Date,
  serializers: Serializers,
): UnitOfWork<StoreOutcome> {
  const locked = yield* lockReportsOf([report.sha256]);
  const prepared = [prepareAnalysis(report, serializers)];
  const [written] = yield* writeAnalyses(prepared);
  if (written === undefined) throw new Error('an analysis was written without an outcome');
  const { outcome, sampleId, family } = written;
  if (outcome === 'conflict') yield* endUpload(report.sha256, at, { reason: CONFLICT });
  // Then no report changes either.
  if (sampleId === undefined) return outcome;
  yield* putDetails(sampleId, JSON.stringify(details));
  yield* putC2s(sampleId, details);
  yield* putTlsh(sampleId, details.tlsh);
  // Even if the report is that of an imported analysis, which has no addresses.
  yield* reevaluateReportsOf([report.sha256], locked, at, serializers);
  yield* indexNow(sampleId);
  yield* endUpload(report.sha256, at);
  const { sha256, tags } = report;
  const uploaders = yield* uploadersOf(sha256);
  yield* proposeReports({ sha256, tags, family, c2s: details.c2s }, uploaders, at);
  yield* locked.counts.write();
  return outcome;
}
