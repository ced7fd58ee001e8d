import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { Dependencies } from '../dependencies.ts';
import { chargeLookup, type FoundSample } from './look-up-sample.ts';

/**
 * Returns the evidence behind an analysis report, as JSON text. It spends a quota unit and is
 * refused like any other lookup.
 */
export async function lookUpDetails(
  deps: Dependencies,
  caller: Caller,
  text: string,
  takeMemory: (bytes: number) => void,
): Promise<FoundSample> {
  // Read before the unit is spent: a failure, or a lack of memory, costs the caller nothing.
  const hash = parseFileHash(text);
  const sizeBytes = hash && (await deps.store.samples.detailsSize(hash));
  if (sizeBytes !== undefined) takeMemory(sizeBytes);
  const details = hash && (await deps.store.samples.details(hash));
  const { quota } = await chargeLookup(deps, caller, text, { isForDetails: true });
  if (details === undefined) throw new Problem('unknown_details', { quota });
  return { body: details, quota };
}
