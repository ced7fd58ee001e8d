import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileName } from '../../domain/samples/file-name.ts';
import type { FileDigests } from '../../ports/analyser.ts';
import type { IncomingSample } from '../../ports/sample-files.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { permissionProblem } from '../permission.ts';

export interface Upload {
  /** As the client sent it. */
  readonly fileName: string | undefined;
  /** The iteration throws if the upload is incomplete. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface SubmittedSample {
  readonly digests: FileDigests;
  readonly status: SampleStatus;
}

/**
 * Stores a file and queues its analysis. The same bytes are the same sample: they are stored and
 * analysed once.
 *
 * The file is stored before its row. A crash in between leaves a file without a row, which the next
 * upload of the same bytes uses. In the opposite order it would leave a job without a file.
 */
export async function submitSample(
  deps: Dependencies,
  caller: Caller,
  upload: Upload,
): Promise<SubmittedSample> {
  requireRole(caller, 'researcher');
  const { accountId, tokenId } = caller;
  const file = await storeFile(deps, accountId, upload.bytes);
  const { digests, sizeBytes } = file;
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
  // The file stays, as after a crash at this point: another upload of the same bytes may use it.
  if (refusal !== undefined) throw permissionProblem(refusal, 'researcher');
  // Concurrent uploads have used up the limit of the account. The file stays: another account may
  // use it.
  if (outcome === 'full') throw await storageProblem(deps, accountId, file);
  if (outcome === 'removed') {
    await deps.files.remove(digests.sha256);
    throw new Problem('sample_removed');
  }
  if (outcome === 'queued') deps.analysisEvents.submitted();
  return { digests, status };
}

interface StoredFile {
  readonly digests: FileDigests;
  readonly sizeBytes: number;
}

/** Writes the bytes as they arrive. A failure leaves no file. */
async function storeFile(
  deps: Dependencies,
  accountId: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  const incoming = await deps.files.receive();
  try {
    const file = await write(deps, bytes, incoming);
    if (!(await fitsLimit(deps, accountId, file)))
      throw await storageProblem(deps, accountId, file);
    await incoming.keep(file.digests.sha256);
    return file;
  } catch (cause) {
    await incoming.discard();
    throw cause;
  }
}

/** Whether the file is within the limit of the account. Bytes that are stored already are free. */
async function fitsLimit(
  { store: { samples }, accountLimits }: Dependencies,
  accountId: string,
  { digests, sizeBytes }: StoredFile,
): Promise<boolean> {
  const stored = await samples.storedBytes(accountId);
  if (stored + sizeBytes <= accountLimits.storedBytes) return true;
  return (await samples.find({ hex: digests.sha256, kinds: ['sha256'] })) !== undefined;
}

async function storageProblem(
  { store, accountLimits }: Dependencies,
  accountId: string,
  { sizeBytes: size }: StoredFile,
): Promise<Problem> {
  const stored = await store.samples.storedBytes(accountId);
  const parameters = { stored, size, limit: accountLimits.storedBytes };
  return new Problem('stored_bytes_exceeded', { parameters });
}

async function write(
  { openDigester, uploadLimitBytes }: Dependencies,
  bytes: AsyncIterable<Uint8Array>,
  incoming: IncomingSample,
): Promise<StoredFile> {
  const digester = await openDigester();
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.length;
    if (sizeBytes > uploadLimitBytes)
      throw new Problem('body_too_large', { parameters: { limit: uploadLimitBytes } });
    digester.update(piece);
    await incoming.write(piece);
  }
  if (sizeBytes === 0) throw new Problem('empty_file');
  return { digests: digester.digests(), sizeBytes };
}
