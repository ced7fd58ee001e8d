import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { Dependencies } from '../dependencies.ts';

export interface SampleDownload {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The iteration throws if the bytes differ from the uploaded ones. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Returns the bytes of a sample, and writes the download to the audit log. */
export async function downloadSample(
  deps: Dependencies,
  caller: Caller,
  text: string,
): Promise<SampleDownload> {
  requireRole(caller, 'researcher');
  const hash = parseFileHash(text);
  if (hash === undefined) throw new Problem('invalid_hash');
  const sample = await deps.store.samples.find(hash);
  if (sample === undefined) throw new Problem('unknown_file');
  const { sizeBytes, digests } = sample;
  if (!(await deps.files.has(digests.sha256))) throw new Problem('unknown_file');
  // Audited first: if the audit entry cannot be written, the sample is not served.
  const audit = { actor: caller.name, at: deps.now() };
  await deps.store.audit.write('sample.download', digests.sha256, {}, audit);
  const bytes = await deps.files.read(digests.sha256);
  if (bytes === undefined) throw new Problem('unknown_file');
  return { sha256: digests.sha256, sizeBytes, bytes };
}
