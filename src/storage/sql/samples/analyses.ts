import type { Analysis } from '../../../domain/samples/analysis.ts';
import type { FileHash } from '../../../domain/samples/file-hash.ts';
import type {
  SampleStatus,
  Stored,
  Submitted,
  SubmittedUpload,
} from '../../../ports/sample-store.ts';
import type { Serializers } from '../../../ports/store.ts';
import { lockFiles, type UnitOfWork } from '../../unit-of-work.ts';
import { addStoredBytes } from '../accounts/account-usage.ts';
import { checkRights } from '../accounts/permission.ts';
import { addJob } from '../jobs.ts';
import { lockReportsOf } from '../reports/rename-reports.ts';
import { indexNow } from '../search/fuzzy-index.ts';
import { putC2s } from './sample-c2s.ts';
import { findDetails, findDetailsSize, putDetails } from './sample-details.ts';
import { findDigest } from './sample-rows.ts';
import { addUpload, endUpload, findUpload } from './uploads.ts';
import { putReports, readyReport, removedOf } from './write-analyses.ts';

/** Said of a sample whose report cannot stand beside one that is there already. */
const CONFLICT = 'one of its hashes is already that of another file';

export function* submitSample(upload: SubmittedUpload, storedLimit: number): UnitOfWork<Submitted> {
  const { sizeBytes: bytes } = upload;
  const { sha256 } = upload.digests;
  const { tokenId, uploadedBy: accountId, uploadedAt: now } = upload;
  if (tokenId !== undefined) {
    const refusal = yield* checkRights({ accountId, tokenId }, { role: 'researcher', now });
    if (refusal !== undefined) return { outcome: 'refused', status: { state: 'unknown' }, refusal };
  }
  yield* lockFiles([sha256]);
  const isRemoved = (yield* removedOf([sha256])).has(sha256);
  if (isRemoved) return { outcome: 'removed', status: { state: 'unknown' } };
  const hash: FileHash = { hex: sha256, kinds: ['sha256'] };
  if ((yield* findUpload(hash)) !== undefined)
    return { outcome: 'known', status: yield* statusOf(hash) };
  if (!(yield* addStoredBytes({ accountId, bytes }, storedLimit)))
    return { outcome: 'full', status: { state: 'unknown' } };
  const report = yield* findDigest(hash);
  const state = report === undefined ? 'queued' : 'done';
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
  if (upload?.reason !== undefined) return { state: upload.state, reason: upload.reason };
  if (upload !== undefined) return { state: upload.state };
  return { state: (yield* findDigest(hash)) === undefined ? 'unknown' : 'done' };
}

export function* finishAnalysis(
  { report, details }: Analysis,
  at: Date,
  serializers: Serializers,
): UnitOfWork<Stored> {
  const lockedFeeds = yield* lockReportsOf([report.sha256]);
  const [put] = yield* putReports([readyReport(report, serializers)], lockedFeeds, at, serializers);
  if (put === undefined) throw new Error('nothing became of a report');
  const { outcome, sampleId } = put;
  if (outcome === 'conflict') yield* endUpload(report.sha256, at, CONFLICT);
  if (sampleId === undefined) return outcome;
  yield* putDetails(sampleId, JSON.stringify(details));
  yield* putC2s(sampleId, details.c2s);
  yield* indexNow(sampleId);
  yield* endUpload(report.sha256, at, undefined);
  return outcome;
}

export function* detailsSizeOf(hash: FileHash): UnitOfWork<number | undefined> {
  const found = yield* findDigest(hash);
  return found && (yield* findDetailsSize(found.sample_id));
}

export function* detailsOf(hash: FileHash): UnitOfWork<string | undefined> {
  const found = yield* findDigest(hash);
  return found && (yield* findDetails(found.sample_id));
}
