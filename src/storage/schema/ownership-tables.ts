import type { Generated } from 'kysely';
import type { ProofMethod, ProofProblem } from '../../domain/ownership/claim.ts';

/** The tables of declared and proven hosts, a part of `tables.ts`. */

export interface ServicePatternTable {
  key: string;
  slug: string;
  pattern: string;
  /** 1: `service_claim` has a proof for the host of the pattern. */
  verified: Generated<number>;
}

export interface ServiceChallengeTable {
  slug: string;
  token: string;
  created_at: string;
}

export interface ServiceClaimTable {
  slug: string;
  suffix: string;
  method: ProofMethod;
  verified_at: string | null;
  asked_at: string;
  checked_at: string | null;
  failing_since: string | null;
  problem: ProofProblem | null;
  due_at: string | null;
  leased_until: string | null;
}
