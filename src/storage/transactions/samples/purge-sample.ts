import type { AuditContext } from '../../../ports/audit-context.ts';
import type { Serializers } from '../../../ports/store.ts';
import { subtractStoredBytes } from '../../tables/accounts/account-usage.ts';
import { removeJob } from '../../tables/jobs/jobs.ts';
import { deleteHash, deleteSample, putTombstone } from '../../tables/samples/purged-samples.ts';
import { removeC2s } from '../../tables/samples/sample-c2s.ts';
import { removeDetails } from '../../tables/samples/sample-details.ts';
import { findSample, HASH_KINDS, rowIdRange } from '../../tables/samples/sample-rows.ts';
import { removeUpload } from '../../tables/samples/uploads.ts';
import { removeFuzzyHash } from '../../tables/search/fuzzy-index.ts';
import { removeTlsh } from '../../tables/search/tlsh-index.ts';
import { writeAudit } from '../../units/audit.ts';
import { row, rows, type UnitOfWork } from '../../units/unit-of-work.ts';
import { removeProposals } from '../proposals/remove-proposals.ts';
import { lockReportsOf, reevaluateReportsOf } from '../reports/reevaluate-reports.ts';
import { removeSampleTexts } from '../search/search-samples.ts';

export function* purgeSample(
  sha256: string,
  reason: string,
  audit: AuditContext,
  serializers: Serializers,
): UnitOfWork<'deleted' | 'absent'> {
  const locked = yield* lockReportsOf([sha256]);
  const wasAnalysed = yield* removeAnalysis(sha256);
  if (wasAnalysed) yield* reevaluateReportsOf([sha256], locked, audit.at, serializers);
  const upload = yield* removeUpload(sha256);
  if (!wasAnalysed && upload === undefined) return 'absent';
  if (upload !== undefined) yield* subtractStoredBytes(upload);
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
