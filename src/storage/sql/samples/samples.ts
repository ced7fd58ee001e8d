import type { AnalysisReport } from '../../../domain/samples/analysis-report.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority } from '../../../ports/authority.ts';
import type { Stored } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { all, lockFiles, query, row, rows, type UnitOfWork } from '../../unit-of-work.ts';
import { writeAudit } from '../accounts/audit.ts';
import { requireRights } from '../accounts/permission.ts';
import { removeJob } from '../jobs.ts';
import { lockReportsOf } from '../reports/rename-reports.ts';
import { indexNow, removeLikeness } from '../search/fuzzy-index.ts';
import { removeSampleTexts } from '../search/search-samples.ts';
import { removeC2s } from './sample-c2s.ts';
import { removeDetails } from './sample-details.ts';
import { findDigest } from './sample-rows.ts';
import { removeUpload, settleFailedUploads } from './uploads.ts';
import { putReports, runsOf, writtenOf } from './write-analyses.ts';

const deleteSample = query<{ id: number }>()((db, parameter) =>
  db.deleteFrom('sample').where('id', '=', parameter.id).returning(['blake3_id', 'sha512_id']),
);

const deleteDigests = query<{ one: number; other: number }>()((db, parameter) =>
  db.deleteFrom('sample').where('id', 'in', [parameter.one, parameter.other]),
);

const putTombstone = query<{
  sha256: Uint8Array;
  deleted_at: string;
  deleted_by: string;
  reason: string;
}>()((db, parameter) =>
  db
    .insertInto('sample_tombstone')
    .values(all(parameter, ['sha256', 'deleted_at', 'deleted_by', 'reason'])),
);

/** As many reports at once get into the index of similar files with their transaction. */
const INDEXED_AT_ONCE = 10;

export function* putSamples(
  reports: readonly AnalysisReport[],
  at: Date,
  serializers: Serializers,
  authority?: Authority,
): UnitOfWork<readonly Stored[]> {
  if (authority !== undefined) yield* requireRights(authority, { role: 'admin', now: at });
  const outcomes: Stored[] = [];
  const lockedFeeds = yield* lockReportsOf(reports.map(({ sha256 }) => sha256));
  for (const run of runsOf(reports, serializers)) {
    const put = yield* putReports(run, lockedFeeds, at, serializers);
    outcomes.push(...put.map(({ outcome }) => outcome));
    const written = writtenOf(put);
    // What lies behind a report of ours says nothing of one that came from elsewhere.
    const replaced = written.filter(({ outcome }) => outcome === 'replaced');
    yield* removeDetails(replaced.map(({ sampleId }) => sampleId));
    yield* removeC2s(replaced.map(({ sampleId }) => sampleId));
    yield* settleFailedUploads(
      written.map(({ report }) => report.sha256),
      at,
    );
    if (reports.length <= INDEXED_AT_ONCE)
      for (const { sampleId } of written) yield* indexNow(sampleId);
  }
  return outcomes;
}

export function* purgeSample(
  sha256: string,
  reason: string,
  audit: AuditContext,
): UnitOfWork<'deleted' | 'absent'> {
  yield* lockFiles([sha256]);
  const hadReport = yield* removeReport(sha256);
  const wasUploaded = yield* removeUpload(sha256);
  if (!hadReport && !wasUploaded) return 'absent';
  yield* removeJob('analyse', sha256, audit.at);
  yield* rows(putTombstone, {
    sha256: Buffer.from(sha256, 'hex'),
    deleted_at: audit.at.toISOString(),
    deleted_by: audit.actor,
    reason,
  });
  yield* writeAudit(audit, 'sample.purge', sha256, { reason });
  return 'deleted';
}

/** Whether there was one. */
function* removeReport(sha256: string): UnitOfWork<boolean> {
  const found = yield* findDigest({ hex: sha256, kinds: ['sha256'] });
  if (found === undefined) return false;
  yield* removeSampleTexts([found.id]);
  yield* removeLikeness(found.id);
  yield* removeDetails([found.id]);
  yield* removeC2s([found.id]);
  const gone = yield* row(deleteSample, { id: found.id });
  // The other two hashes always stand with the first.
  yield* rows(deleteDigests, { one: gone?.blake3_id ?? -1, other: gone?.sha512_id ?? -1 });
  return true;
}
