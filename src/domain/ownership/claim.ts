import { DAY_MS, HOUR_MS } from '../duration.ts';

/** How a service proves that it owns a host: a TXT record, or a file on the web server. */
export const PROOF_METHODS = ['dns', 'http'] as const;
export type ProofMethod = (typeof PROOF_METHODS)[number];

/** What is known of one host that a service declares. A proof holds for its subdomains as well. */
export interface Claim {
  /** The declared host without the leading `*.`. */
  readonly suffix: string;
  /** The method of the proof, or of the last check if there is no proof. */
  readonly method: ProofMethod;
  /** `undefined`: declared, not proven. */
  readonly verifiedAt: Date | undefined;
  readonly checkedAt: Date | undefined;
  /** The first of the failed checks since the last successful one. */
  readonly failingSince: Date | undefined;
  readonly problem: ProofProblem | undefined;
}

/**
 * Why a check failed. `absent`: the answer does not hold the token. `other`: it holds the token of
 * somebody else. `unknown`: there was no answer, which says nothing about the owner.
 */
export const PROOF_PROBLEMS = {
  no_record: 'absent',
  other_token: 'other',
  dns_failed: 'unknown',
  dns_timeout: 'unknown',
  no_address: 'absent',
  private_address: 'absent',
  untrusted: 'absent',
  unreachable: 'unknown',
  timeout: 'unknown',
  redirected: 'absent',
  not_found: 'absent',
  server_failed: 'unknown',
  no_line: 'absent',
  too_large: 'absent',
} as const satisfies Record<string, 'absent' | 'other' | 'unknown'>;
export type ProofProblem = keyof typeof PROOF_PROBLEMS;

/** One check: what it found, and when. `undefined`: the token was found. */
export interface ProofCheck {
  readonly method: ProofMethod;
  readonly problem: ProofProblem | undefined;
  readonly at: Date;
  /** A random number from 0 to 1. */
  readonly chance: number;
}

export interface SettledClaim {
  readonly claim: Claim;
  readonly change: 'verified' | 'withdrawn' | undefined;
  /** The next check; `undefined` if there is no proof to check. */
  readonly dueAt: Date | undefined;
}

/** A proof ends if the token has been missing for so long. */
export const WITHDRAWN_AFTER_MS = 3 * DAY_MS;
/** Proofs that were checked together, for example after an outage, spread over the day again. */
const SPREAD_MS = 4 * HOUR_MS;
/** After a check without an answer. */
const RETRY_MS = HOUR_MS;

/**
 * The state after a check. A proof outlasts failed checks for three days, and any number of checks
 * without an answer: an outage of our resolver or network must not end proofs. The token of
 * somebody else ends it at once. A failed check with another method than that of the proof says
 * nothing about the proof.
 */
export function settleClaim(claim: Claim, check: ProofCheck): SettledClaim {
  const { method, problem, at } = check;
  const wasVerified = claim.verifiedAt !== undefined;
  if (problem === undefined)
    return {
      claim: {
        suffix: claim.suffix,
        method,
        verifiedAt: claim.verifiedAt ?? at,
        checkedAt: at,
        failingSince: undefined,
        problem,
      },
      change: wasVerified ? undefined : 'verified',
      dueAt: nextDaily(check),
    };
  const checked = { ...claim, checkedAt: at, problem };
  if (!wasVerified) return { claim: { ...checked, method }, change: undefined, dueAt: undefined };
  // The proof itself is checked now: calls with another method must not put that off.
  if (method !== claim.method) return { claim: checked, change: undefined, dueAt: at };
  return settleFailure(checked, check, PROOF_PROBLEMS[problem]);
}

function settleFailure(
  claim: Claim,
  check: ProofCheck,
  meaning: 'absent' | 'other' | 'unknown',
): SettledClaim {
  const { at } = check;
  if (meaning === 'unknown')
    return { claim, change: undefined, dueAt: later(at, RETRY_MS * (1 + check.chance)) };
  const failingSince = claim.failingSince ?? at;
  const isWithdrawn =
    meaning === 'other' || at.getTime() - failingSince.getTime() >= WITHDRAWN_AFTER_MS;
  if (isWithdrawn)
    return {
      claim: { ...claim, verifiedAt: undefined, failingSince },
      change: 'withdrawn',
      dueAt: undefined,
    };
  return { claim: { ...claim, failingSince }, change: undefined, dueAt: nextDaily(check) };
}

function nextDaily({ at, chance }: ProofCheck): Date {
  return later(at, DAY_MS - SPREAD_MS * chance);
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + Math.round(ms));
}

/** The time until a host may be checked again; at least a millisecond. */
export function checkWaitMs(
  askedAt: Date | undefined,
  { now, intervalMs }: { readonly now: Date; readonly intervalMs: number },
): number {
  const last = askedAt ?? now;
  return Math.max(last.getTime() + intervalMs - now.getTime(), 1);
}

/** Whether a check says something that the claim did not say before. */
export function isNews(known: Claim, { claim, change }: SettledClaim): boolean {
  return change !== undefined || claim.problem !== known.problem;
}
