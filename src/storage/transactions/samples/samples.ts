import type { AnalysisReport } from '../../../domain/samples/analysis-report.ts';
import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Authority } from '../../../ports/authority.ts';
import type { StoreOutcome } from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { requireRights } from '../../tables/accounts/permission.ts';
import { removeJob } from '../../tables/jobs/jobs.ts';
import { removeC2s } from '../../tables/samples/sample-c2s.ts';
import { removeDetails } from '../../tables/samples/sample-details.ts';
import {
  findSample,
  HASH_KINDS,
  type IdRange,
  rowIdRange,
} from '../../tables/samples/sample-rows.ts';
import { removeUpload, settleFailedUploads } from '../../tables/samples/uploads.ts';
import { indexNow, removeFuzzyHash } from '../../tables/search/fuzzy-index.ts';
import { removeTlsh } from '../../tables/search/tlsh-index.ts';
import { writeAudit } from '../../units/audit.ts';
import { all, query, row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { removeProposals, withdrawProposals } from '../proposals/remove-proposals.ts';
import { lockReportsOf, reevaluateReportsOf } from '../reports/reevaluate-reports.ts';
import { removeSampleTexts } from '../search/search-samples.ts';
import { batchesOf, writeAnalyses, writtenAmong } from './write-analyses.ts';

const deleteSample = query<{ id: number }>()((db, parameter) =>
  db.deleteFrom('sample').where('id', '=', parameter.id).returning(['sha256', 'blake3', 'sha512']),
);

const deleteHash = query<IdRange & { id: number }>()((db, parameter) =>
  db
    .deleteFrom('sample_hash')
    .where('id', '>=', parameter.from)
    .where('id', '<=', parameter.to)
    .where('sample_id', '=', parameter.id),
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

export function* purgeSample(
  sha256: string,
  reason: string,
  audit: AuditContext,
  serializers: Serializers,
): UnitOfWork<'deleted' | 'absent'> {
  const locked = yield* lockReportsOf([sha256]);
  const wasAnalysed = yield* removeAnalysis(sha256);
  if (wasAnalysed) yield* reevaluateReportsOf([sha256], locked, audit.at, serializers);
  const wasUploaded = yield* removeUpload(sha256);
  if (!wasAnalysed && !wasUploaded) return 'absent';
  yield* removeProposals(sha256);
  yield* removeJob('analyse', sha256, audit.at);
  yield* rows(putTombstone, {
    sha256: Buffer.from(sha256, 'hex'),
    deleted_at: audit.at.toISOString(),
    deleted_by: audit.actor,
    reason,
  });
  yield* writeAudit(audit, 'sample.purge', sha256, { reason });
  yield* locked.counts.write();
  return 'deleted';
}

/** Returns whether there was one. */
function* removeAnalysis(sha256: string): UnitOfWork<boolean> {
  const id = yield* findSample({ hex: sha256, kinds: ['sha256'] });
  if (id === undefined) return false;
  yield* removeSampleTexts([id]);
  yield* removeFuzzyHash(id);
  yield* removeDetails([id]);
  yield* removeC2s([id]);
  yield* removeTlsh([id]);
  const hashes = yield* row(deleteSample, { id });
  if (hashes === undefined) return false;
  for (const kind of HASH_KINDS) {
    const hex = Buffer.from(hashes[kind]).toString('hex');
    yield* rows(deleteHash, { id, ...rowIdRange(hex) });
  }
  return true;
}
