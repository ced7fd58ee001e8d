import { MINUTE_MS } from '../../domain/duration.ts';
import type { DueProof } from '../../ports/ownership-store.ts';
import { chanceOf, type OwnershipDependencies } from './ownership-dependencies.ts';

/** The proofs that are checked at once. */
const CONCURRENT_CHECKS = 4;
/** Longer than any check takes. */
const LEASE_MS = 2 * MINUTE_MS;
const ACTOR = 'rapsheet';

/**
 * Checks some of the proofs that are due. Returns their number; 0 if none is due, or if another
 * node checks some.
 */
export async function recheckProofs(
  deps: OwnershipDependencies,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const request = { now, limit: CONCURRENT_CHECKS, leaseMs: LEASE_MS };
  const due = await deps.store.ownership.leaseDue(request);
  const checks = await Promise.allSettled(due.map((proof) => recheck(deps, proof, now, signal)));
  // The lease of one that failed ends by itself.
  const failed = checks.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return due.length;
}

async function recheck(
  deps: OwnershipDependencies,
  proof: DueProof,
  at: Date,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { service, suffix, method } = proof;
  const problem = await deps.prover.check({ ...proof, signal });
  // An interrupted check has no result.
  if (signal?.aborted) return;
  const check = { method, problem, at, chance: chanceOf(deps) };
  const record = { service, suffix, check, isRequested: false };
  await deps.store.ownership.record(record, { actor: ACTOR, at });
}
