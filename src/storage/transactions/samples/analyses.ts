import type { Analysis } from '../../../domain/samples/analysis.ts';
import type { FileHash } from '../../../domain/samples/file-hash.ts';
import type {
  SampleStatus,
  StoredUpload,
  StoreOutcome,
  SubmitOutcome,
  SubmittedUpload,
} from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { addStoredBytes } from '../../tables/accounts/account-usage.ts';
import { checkRights } from '../../tables/accounts/permission.ts';
import { addJob } from '../../tables/jobs/jobs.ts';
import { addFurtherUpload, uploadersOf } from '../../tables/proposals/further-uploads.ts';
import { putC2s } from '../../tables/samples/sample-c2s.ts';
import { findDetails, findDetailsSize, putDetails } from '../../tables/samples/sample-details.ts';
import { findingsOf } from '../../tables/samples/sample-findings.ts';
import { findSample } from '../../tables/samples/sample-rows.ts';
import { addUpload, endUpload, findUpload } from '../../tables/samples/uploads.ts';
import { indexNow } from '../../tables/search/fuzzy-index.ts';
import { putTlsh } from '../../tables/search/tlsh-index.ts';
import { lockFiles, type UnitOfWork } from '../../units/unit-of-work.ts';
import { proposeReports } from '../proposals/propose-reports.ts';
import { lockReportsOf, reevaluateReportsOf } from '../reports/reevaluate-reports.ts';
import { prepareAnalysis, removedAmong, writeAnalyses } from './write-analyses.ts';

/** The reason of an upload whose analysis conflicts with a stored one. */
const CONFLICT = 'one of its hashes is already that of another file';

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

export function* statusOf(hash: FileHash): UnitOfWork<SampleStatus> {
  const upload = yield* findUpload(hash);
  if (upload !== undefined) return statusOfUpload(upload);
  return { state: (yield* findSample(hash)) === undefined ? 'unknown' : 'done' };
}

function statusOfUpload({ state, reason }: StoredUpload): SampleStatus {
  return reason === undefined ? { state } : { state, reason };
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
  // Also if the report is that of an imported analysis, which has no addresses.
  yield* reevaluateReportsOf([report.sha256], locked, at, serializers);
  yield* indexNow(sampleId);
  yield* endUpload(report.sha256, at);
  const { sha256, tags } = report;
  const uploaders = yield* uploadersOf(sha256);
  yield* proposeReports({ sha256, tags, family, c2s: details.c2s }, uploaders, at);
  yield* locked.counts.write();
  return outcome;
}

export function* detailsSizeOf(hash: FileHash): UnitOfWork<number | undefined> {
  const id = yield* findSample(hash);
  return id === undefined ? undefined : yield* findDetailsSize(id);
}

export function* detailsOf(hash: FileHash): UnitOfWork<string | undefined> {
  const id = yield* findSample(hash);
  return id === undefined ? undefined : yield* findDetails(id);
}
