import type { Caller } from '../../domain/accounts/caller.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { hasRecords, suffixOf } from '../../domain/ownership/challenge.ts';
import type { ProofMethod } from '../../domain/ownership/claim.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import { requireOwnerOrAdmin } from '../permission.ts';
import { chanceOf, type OwnershipDependencies } from './ownership-dependencies.ts';
import { type DeclaredPattern, tokenOf } from './show-ownership.ts';

export interface CheckRequest {
  /** As it was declared, in upper or lower case. */
  readonly pattern: string;
  readonly method: ProofMethod;
}

const CHECK_INTERVAL_MS = 10 * SECOND_MS;

/** Checks now whether the token of the service is published at a declared host. */
export async function checkOwnership(
  deps: OwnershipDependencies,
  caller: Caller,
  service: Service,
  { pattern, method }: CheckRequest,
): Promise<DeclaredPattern> {
  requireOwnerOrAdmin(caller, service);
  const declared = pattern.toLowerCase();
  const suffix = provableSuffix(service, { pattern: declared, method });
  const key = { service: service.slug, suffix };
  const token = await tokenOf(deps, service);
  const { ownership } = deps.store;
  const begun = await ownership.begin({
    ...key,
    method,
    now: deps.now(),
    intervalMs: CHECK_INTERVAL_MS,
  });
  if (begun === 'absent') throw new Problem('unknown_pattern');
  if (begun !== 'begun') throw tooSoon(begun.waitMs);
  const problem = await deps.prover.check({ method, suffix, token });
  const at = deps.now();
  const check = { method, problem, at, chance: chanceOf(deps) };
  const audit = { actor: caller.name, at };
  const claim = await ownership.record({ ...key, check, isRequested: true }, audit);
  if (claim === 'absent') throw new Problem('unknown_pattern');
  return { pattern: declared, kind: 'host', claim };
}

function provableSuffix(service: Service, { pattern, method }: CheckRequest): string {
  if (service.networks.includes(pattern))
    throw invalid('invalid_body', [
      'pattern must be a host: a network cannot be proven this way and stays declared.',
    ]);
  if (!service.hosts.includes(pattern)) throw new Problem('unknown_pattern');
  const suffix = suffixOf(pattern);
  if (method === 'dns' && !hasRecords(suffix))
    throw invalid('invalid_body', [
      'method must be http: an address has no TXT records in the DNS.',
    ]);
  return suffix;
}

function tooSoon(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / SECOND_MS);
  return new Problem('check_too_soon', { parameters: { seconds }, retryAfterSeconds: seconds });
}
