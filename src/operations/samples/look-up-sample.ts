import { type Caller, tokenOf } from '../../domain/accounts/caller.ts';
import type { QuotaBalance } from '../../domain/accounts/quota.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import type { LargeLookup, Lookup, LookupAnswer } from '../../ports/sample-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { analysisMissing, quotaExhausted } from './lookup-problems.ts';

export interface FoundSample {
  readonly body: string;
  readonly quota: QuotaBalance;
}

/** Resolves when the memory budget has room for that many bytes. */
export type ReserveMemory = (bytes: number) => Promise<void>;

/**
 * Spends one quota unit, then looks up the hash. A miss and a malformed hash cost a unit as well,
 * and an exhausted quota is the first refusal.
 */
export async function lookUpSample(
  deps: Dependencies,
  caller: Caller,
  text: string,
  reserve: ReserveMemory,
  operation: NonNullable<Lookup['operation']> = 'lookup',
): Promise<FoundSample> {
  const answer = await chargeLookup(deps, caller, text, { operation });
  const { body, large, quota } = answer;
  if (body !== undefined) return { body, quota };
  if (large === undefined) throw analysisMissing(answer);
  await reserve(large.sizeBytes);
  return await lookUpLarge(deps, caller, { key: large.key, operation });
}

/**
 * A large report is charged and read in one transaction once there is memory: a failure is free.
 */
async function lookUpLarge(
  deps: Dependencies,
  caller: Caller,
  large: Pick<LargeLookup, 'key' | 'operation'>,
): Promise<FoundSample> {
  const now = deps.now();
  const payer = { accountId: caller.accountId, tokenId: tokenOf(caller) };
  const answer = await deps.store.samples.lookUpLarge({ ...payer, ...large, now });
  const { served, quota, body } = answer;
  if (!served) throw quotaExhausted(quota, now);
  // The report was removed meanwhile.
  if (body === undefined) throw analysisMissing(answer);
  return { body, quota };
}

/** Spends one quota unit and finds the report. A large report is charged later, when it is read. */
export async function chargeLookup(
  deps: Dependencies,
  caller: Caller,
  text: string,
  options: Required<Pick<Lookup, 'operation'>> & Pick<Lookup, 'isForDetails'>,
): Promise<LookupAnswer> {
  const hash = parseFileHash(text);
  const now = deps.now();
  // Spreading would take longer than the rest of this function.
  const answer = await deps.store.samples.lookUp({
    accountId: caller.accountId,
    tokenId: tokenOf(caller),
    operation: options.operation,
    hash,
    now,
    isForDetails: options.isForDetails === true,
  });
  const { served, quota, body, large } = answer;
  if (!served) throw quotaExhausted(quota, now);
  if (hash === undefined) throw new Problem('invalid_hash', { quota });
  if (body === undefined && large === undefined) throw analysisMissing(answer);
  return answer;
}
