import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { Dependencies } from '../dependencies.ts';

export interface SampleDownload {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Throws where they are not what was uploaded. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The bytes of a sample. Who took them is noted. */
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
  // Noted first: what could not be noted is not handed out.
  const audit = { actor: caller.name, at: deps.now() };
  await deps.store.audit.write('sample.download', digests.sha256, {}, audit);
  const bytes = await deps.files.read(digests.sha256);
  if (bytes === undefined) throw new Problem('unknown_file');
  return { sha256: digests.sha256, sizeBytes, bytes };
}
