import type { FileHash } from '../../../domain/samples/file-hash.ts';
import type { SubmitOutcome, SubmittedUpload } from '../../../ports/sample-store.ts';
import { addStoredBytes } from '../../tables/accounts/account-usage.ts';
import { checkRights } from '../../tables/accounts/permission.ts';
import { addJob } from '../../tables/jobs/jobs.ts';
import { addFurtherUpload } from '../../tables/proposals/further-uploads.ts';
import { findingsOf } from '../../tables/samples/sample-findings.ts';
import { findSample } from '../../tables/samples/sample-rows.ts';
import { statusOfUpload } from '../../tables/samples/sample-status.ts';
import { addUpload, findUpload } from '../../tables/samples/uploads.ts';
import { lockFiles } from '../../units/locks.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { proposeReports } from '../proposals/propose-reports.ts';
import { removedAmong } from './write-analyses.ts';

export function* submitSample(
  upload: SubmittedUpload,
  storedLimit: number,
): UnitOfWork<SubmitOutcome> {
  const { sizeBytes: bytes } = upload;
  const { sha256 } = upload.digests;
  const { tokenId, uploadedBy: accountId, uploadedAt: now } = upload;
  if (tokenId !== undefined) {
    const refusal = yield* checkRights({ accountId, tokenId }, { role: 'researcher', now });
    if (refusal !== undefined) return { outcome: 'refused', status: { state: 'unknown' }, refusal };
  }
  yield* lockFiles([sha256]);
  const isRemoved = (yield* removedAmong([sha256])).has(sha256);
  if (isRemoved) return { outcome: 'removed', status: { state: 'unknown' } };
  const hash: FileHash = { hex: sha256, kinds: ['sha256'] };
  const known = yield* findUpload(hash);
  if (known !== undefined) {
    if (known.uploadedBy !== accountId) yield* addFurtherUpload(upload);
    if (known.state === 'done') yield* proposeAnalysed(upload);
    return { outcome: 'known', status: statusOfUpload(known) };
  }
  if (!(yield* addStoredBytes({ accountId, bytes }, storedLimit)))
    return { outcome: 'full', status: { state: 'unknown' } };
  const analysed = yield* findSample(hash);
  const state = analysed === undefined ? 'queued' : 'done';
  yield* addUpload(upload, state);
  if (state === 'done') return { outcome: 'known', status: { state } };
  yield* addJob({
    kind: 'analyse',
    key: sha256,
    accountId,
    at: upload.uploadedAt,
  });
  return { outcome: 'queued', status: { state } };
}

/** An account that uploads an analysed file gets the proposals that its first uploader got. */
function* proposeAnalysed({ digests, ...upload }: SubmittedUpload): UnitOfWork<void> {
  const { sha256 } = digests;
  const sampleId = yield* findSample({ hex: sha256, kinds: ['sha256'] });
  if (sampleId === undefined) return;
  const uploader = { accountId: upload.uploadedBy, fileName: upload.fileName };
  const findings = yield* findingsOf(sampleId);
  yield* proposeReports({ sha256, ...findings }, [uploader], upload.uploadedAt);
}
