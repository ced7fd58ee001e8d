import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileName } from '../../domain/samples/file-name.ts';
import type { FileDigests } from '../../ports/analyser.ts';
import type { IncomingSample } from '../../ports/sample-files.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { refusedAtCommit } from '../refused-at-commit.ts';

export interface Upload {
  /** As it was sent, if it was. */
  readonly fileName: string | undefined;
  /** Throws where not all of it comes. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface SubmittedSample {
  readonly digests: FileDigests;
  readonly status: SampleStatus;
}

/**
 * Takes a file to be analysed. The same bytes again are the same sample: they are kept and analysed once.
 *
 * The bytes are in place before the store knows of them. A crash in between leaves a file that nobody asks for,
 * and that the next upload of the same bytes puts to use; the other way round there would be a job without a file.
 */
export async function submitSample(
  deps: Dependencies,
  caller: Caller,
  upload: Upload,
): Promise<SubmittedSample> {
  requireRole(caller, 'researcher');
  const { accountId, tokenId } = caller;
  const kept = await keep(deps, accountId, upload.bytes);
  const { digests, sizeBytes } = kept;
  const sample = {
    digests,
    sizeBytes,
    fileName: parseFileName(upload.fileName ?? '') ?? digests.sha256,
    uploadedBy: accountId,
    tokenId,
    uploadedAt: deps.now(),
  };
  const { storedBytes } = deps.accountLimits;
  const { outcome, status, refusal } = await deps.store.samples.submit(sample, storedBytes);
  // The file stays, as after a crash at this point: another upload of the same bytes may rely on it already.
  if (refusal !== undefined) throw refusedAtCommit(refusal, 'researcher');
  // Others of the account have used up the room meanwhile. The file stays: by now it may be that of another account.
  if (outcome === 'full') throw await noRoomFor(deps, accountId, kept);
  if (outcome === 'removed') {
    await deps.files.remove(digests.sha256);
    throw new Problem('sample_removed');
  }
  if (outcome === 'queued') deps.news.submitted();
  return { digests, status };
}

interface Kept {
  readonly digests: FileDigests;
  readonly sizeBytes: number;
}

/** Writes the bytes as they come. Whatever goes wrong, nothing of them is left. */
async function keep(
  deps: Dependencies,
  accountId: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Kept> {
  const incoming = await deps.files.receive();
  try {
    const kept = await write(deps, bytes, incoming);
    if (!(await fits(deps, accountId, kept))) throw await noRoomFor(deps, accountId, kept);
    await incoming.keep(kept.digests.sha256);
    return kept;
  } catch (cause) {
    await incoming.discard();
    throw cause;
  }
}

/** Whether the account may store it. The same bytes again take no room. */
async function fits(
  { store: { samples }, accountLimits }: Dependencies,
  accountId: string,
  { digests, sizeBytes }: Kept,
): Promise<boolean> {
  const stored = await samples.storedBytes(accountId);
  if (stored + sizeBytes <= accountLimits.storedBytes) return true;
  return (await samples.find({ hex: digests.sha256, kinds: ['sha256'] })) !== undefined;
}

async function noRoomFor(
  { store, accountLimits }: Dependencies,
  accountId: string,
  { sizeBytes: size }: Kept,
): Promise<Problem> {
  const stored = await store.samples.storedBytes(accountId);
  const words = { stored, size, limit: accountLimits.storedBytes };
  return new Problem('stored_bytes_exceeded', { words });
}

async function write(
  { openDigester, uploadLimitBytes }: Dependencies,
  bytes: AsyncIterable<Uint8Array>,
  incoming: IncomingSample,
): Promise<Kept> {
  const digester = await openDigester();
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.length;
    if (sizeBytes > uploadLimitBytes)
      throw new Problem('body_too_large', { words: { limit: uploadLimitBytes } });
    digester.update(piece);
    await incoming.write(piece);
  }
  if (sizeBytes === 0) throw new Problem('empty_file');
  return { digests: digester.digests(), sizeBytes };
}
