import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the state of the analysis of a file. */
export async function sampleStatus(deps: Dependencies, text: string): Promise<SampleStatus> {
  const hash = parseFileHash(text);
  if (hash === undefined) throw new Problem('invalid_hash');
  return deps.store.samples.status(hash);
}
