import type { FileHash } from '../../../domain/samples/file-hash.ts';
import { decideSubmission } from '../../../domain/samples/submission.ts';
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
import { inParallel, type UnitOfWork } from '../../units/unit-of-work.ts';
import { proposeReports } from '../proposals/propose-reports.ts';
import { removedAmong } from './write-analyses.ts';

const UNKNOWN = { state: 'unknown' } as const;

export function* submitSample(
  upload: SubmittedUpload,
  storedLimit: number,
): UnitOfWork<SubmitOutcome> {
  const { sha256 } = upload.digests;
  const { tokenId, uploadedBy: accountId, uploadedAt: now } = upload;
  if (tokenId !== undefined) {
    const refusal = yield* checkRights({ accountId, tokenId }, { role: 'researcher', now });
    if (refusal !== undefined) return { outcome: 'refused', status: UNKNOWN, refusal };
  }
  yield* lockFiles([sha256]);
  const { removed, known, sampleId } = yield* readFile(sha256);

  const file = {
    isRemoved: removed.has(sha256),
    upload: known,
    isAnalysed: sampleId !== undefined,
  };
  const decision = decideSubmission(file, accountId);
  if (decision.kind === 'removed') return { outcome: 'removed', status: UNKNOWN };

  if (decision.kind === 'known') {
    if (decision.isFurther) yield* addFurtherUpload(upload);
    if (decision.isProposed && sampleId !== undefined) yield* proposeAnalysed(upload, sampleId);
    return { outcome: 'known', status: known === undefined ? UNKNOWN : statusOfUpload(known) };
  }
  const { state } = decision;
  if (!(yield* addStoredBytes({ accountId, bytes: upload.sizeBytes }, storedLimit)))
    return { outcome: 'full', status: UNKNOWN };
  yield* addUpload(upload, state);
  if (state === 'done') return { outcome: 'known', status: { state } };
  yield* addJob({ kind: 'analyse', key: sha256, accountId, at: now });
  return { outcome: 'queued', status: { state } };
}

function readFile(sha256: string) {
  const hash: FileHash = { hex: sha256, kinds: ['sha256'] };
  return inParallel({
    removed: removedAmong([sha256]),
    known: findUpload(hash),
    sampleId: findSample(hash),
  });
}

/** An account that uploads an analysed file gets the proposals that its first uploader got. */
function* proposeAnalysed(
  { digests: { sha256 }, ...upload }: SubmittedUpload,
  sampleId: number,
): UnitOfWork<void> {
  const uploader = { accountId: upload.uploadedBy, fileName: upload.fileName };
  const findings = yield* findingsOf(sampleId);
  yield* proposeReports({ sha256, ...findings }, [uploader], upload.uploadedAt);
}
