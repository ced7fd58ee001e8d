import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  chargeLookup,
  type FoundSample,
  lookUpSample,
  type ReserveMemory,
} from './look-up-sample.ts';

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
  const details = await readDetails(deps, text, takeMemory);
  const { quota } = await chargeLookup(deps, caller, text, {
    operation: 'details',
    isForDetails: true,
  });
  if (details === undefined) throw new Problem('unknown_details', { quota });
  return { body: details, quota };
}

export interface ReportAndDetails extends FoundSample {
  /** `undefined` for an imported report. */
  readonly details: string | undefined;
}

/** Returns the report, in `body`, and the evidence behind it, for the unit of one lookup. */
export async function lookUpReportAndDetails(
  deps: Dependencies,
  caller: Caller,
  text: string,
  memory: { readonly take: (bytes: number) => void; readonly reserve: ReserveMemory },
): Promise<ReportAndDetails> {
  const details = await readDetails(deps, text, memory.take);
  const found = await lookUpSample(deps, caller, text, memory.reserve, 'details');
  return { ...found, details };
}

/** Runs before the unit is spent: a failure, or a lack of memory, costs the caller nothing. */
async function readDetails(
  { store }: Pick<Dependencies, 'store'>,
  text: string,
  takeMemory: (bytes: number) => void,
): Promise<string | undefined> {
  const hash = parseFileHash(text);
  const sizeBytes = hash && (await store.samples.detailsSize(hash));
  if (sizeBytes !== undefined) takeMemory(sizeBytes);
  return hash && (await store.samples.details(hash));
}
