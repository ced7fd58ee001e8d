import type { FileHash } from '../../../domain/samples/file-hash.ts';
import type { SampleStatus, StoredUpload } from '../../../ports/sample-store.ts';
import type { UnitOfWork } from '../../units/unit-of-work.ts';
import { findDetails, findDetailsSize } from './sample-details.ts';
import { findSample } from './sample-rows.ts';
import { findUpload } from './uploads.ts';

export function* statusOf(hash: FileHash): UnitOfWork<SampleStatus> {
  const upload = yield* findUpload(hash);
  if (upload !== undefined) return statusOfUpload(upload);
  return { state: (yield* findSample(hash)) === undefined ? 'unknown' : 'done' };
}

export function statusOfUpload({ state, reason }: StoredUpload): SampleStatus {
  return reason === undefined ? { state } : { state, reason };
}

export function* detailsSizeOf(hash: FileHash): UnitOfWork<number | undefined> {
  const id = yield* findSample(hash);
  return id === undefined ? undefined : yield* findDetailsSize(id);
}

export function* detailsOf(hash: FileHash): UnitOfWork<string | undefined> {
  const id = yield* findSample(hash);
  return id === undefined ? undefined : yield* findDetails(id);
}
