import { deleteUpload, selectUploads } from '../../tables/proposals/further-uploads.ts';
import { deleteProposal } from '../../tables/proposals/proposals.ts';
import { selectOfFile, selectOpenOfFile } from '../../tables/proposals/proposals-of-file.ts';
import { c2sOf } from '../../tables/samples/sample-c2s.ts';
import { findSample } from '../../tables/samples/sample-rows.ts';
import { lockFiles } from '../../units/locks.ts';
import { each, rows, type UnitOfWork } from '../../units/unit-of-work.ts';

/** Rows of one file per transaction. Few files have more; those are left to the next slices. */
const SLICE = 500;

/**
 * Removes some of the proposals and uploads of a purged file. Returns the number removed; 0: none
 * is left.
 */
export function* removeProposals(sha256: string): UnitOfWork<number> {
  const file = { sha256: Buffer.from(sha256, 'hex'), limit: SLICE };
  const found = yield* rows(selectOfFile, file);
  yield* each(deleteProposal, found);
  const uploads = yield* rows(selectUploads, file);
  yield* each(
    deleteUpload,
    uploads.map(({ account_id }) => ({ sha256: file.sha256, account_id })),
  );
  return found.length + uploads.length;
}

/** Withdraws some of the open proposals of files whose settings are no longer known. */
export function* withdrawProposals(hashes: readonly string[]): UnitOfWork<number> {
  const found = yield* each(
    selectOpenOfFile,
    hashes.map((sha256) => ({ sha256: Buffer.from(sha256, 'hex'), limit: SLICE })),
  );
  const open = found.flat();
  yield* each(deleteProposal, open);
  return open.length;
}

/** Those of the files that have open proposals. */
export function* filesWithOpenProposals(hashes: readonly string[]): UnitOfWork<readonly string[]> {
  const found = yield* each(
    selectOpenOfFile,
    hashes.map((sha256) => ({ sha256: Buffer.from(sha256, 'hex'), limit: 1 })),
  );
  return hashes.filter((_, index) => (found[index]?.length ?? 0) > 0);
}

/** The next slice in a transaction of its own: an analysis may have added proposals since. */
export function* withdrawMoreProposals(sha256: string): UnitOfWork<number> {
  yield* lockFiles([sha256]);
  const id = yield* findSample({ hex: sha256, kinds: ['sha256'] });
  if (id !== undefined && (yield* c2sOf(id)).length > 0) return 0;
  return yield* withdrawProposals([sha256]);
}
