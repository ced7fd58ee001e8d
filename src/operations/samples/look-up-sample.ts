import type { Caller } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { LargeAnalysis, Lookup, LookupAnswer } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { exhausted, missing } from './take-units.ts';

export interface FoundSample {
  readonly body: string;
  readonly quota: QuotaBalance;
}

/** Waits until there is memory for so many bytes. */
export type ReserveMemory = (bytes: number) => Promise<void>;

/** Takes one unit, then looks: a miss and a malformed hash cost as much as a hit, and nothing left comes first. */
export async function lookUpSample(
  deps: Dependencies,
  caller: Caller,
  text: string,
  reserve: ReserveMemory,
): Promise<FoundSample> {
  const answer = await chargeLookup(deps, caller, text);
  const { body, large, quota } = answer;
  if (body !== undefined) return { body, quota };
  if (large === undefined) throw missing(answer);
  await reserve(large.sizeBytes);
  return await lookUpLarge(deps, caller, large.key);
}

/** A large report is charged and read in one step, once there is memory for it: what fails costs nothing. */
async function lookUpLarge(
  deps: Dependencies,
  { accountId }: Caller,
  key: LargeAnalysis['key'],
): Promise<FoundSample> {
  const now = deps.now();
  const answer = await deps.store.samples.lookUpLarge({ accountId, key, now });
  const { served, quota, body } = answer;
  if (!served) throw exhausted(quota, now);
  // Removed since: a lookup that finds nothing.
  if (body === undefined) throw missing(answer);
  return { body, quota };
}

/** Takes one unit for a hash that has a report, or is refused. A large report costs its unit when it is read. */
export async function chargeLookup(
  deps: Dependencies,
  caller: Caller,
  text: string,
  options: Pick<Lookup, 'isForDetails'> = {},
): Promise<LookupAnswer> {
  const hash = parseFileHash(text);
  const now = deps.now();
  const { accountId } = caller;
  const answer = await deps.store.samples.lookUp({ accountId, hash, now, ...options });
  const { served, quota, body, large } = answer;
  if (!served) throw exhausted(quota, now);
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (body === undefined && large === undefined) throw missing(answer);
  return answer;
}
