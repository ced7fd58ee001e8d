import type { Claim, ProofCheck, ProofMethod } from '../domain/ownership/claim.ts';
import type { AuditContext } from './audit-context.ts';

/** A host of a service, without the leading `*.` of a pattern. */
export interface ClaimKey {
  readonly service: string;
  readonly suffix: string;
}

export interface BegunCheck extends ClaimKey {
  readonly method: ProofMethod;
  readonly now: Date;
  /** The least time between two checks that were asked for. */
  readonly intervalMs: number;
}

/** A proof to check again. */
export interface DueProof extends ClaimKey {
  readonly method: ProofMethod;
  readonly token: string;
}

export interface DueProofsRequest {
  readonly now: Date;
  readonly limit: number;
  /** How long other nodes leave these proofs alone. */
  readonly leaseMs: number;
}

export interface CheckRecord extends ClaimKey {
  readonly check: ProofCheck;
  /** Whether the audit log records it in any case; of the daily checks, only what changes. */
  readonly isRequested: boolean;
}

/** Which hosts services have proven to own. */
export interface OwnershipStore {
  /** The token of the service; stores this one if it has none. */
  token(service: string, fresh: string, now: Date): Promise<string>;
  /** The claims that were ever checked and are still declared. */
  claims(service: string): Promise<readonly Claim[]>;
  /** The proven suffixes of each service, in the order of the services. */
  verified(services: readonly string[]): Promise<readonly ReadonlySet<string>[]>;
  /** Allows one check per interval, over all nodes. */
  begin(check: BegunCheck): Promise<'begun' | 'absent' | { readonly waitMs: number }>;
  /** `absent`: the service does not declare the host any more. */
  record(record: CheckRecord, audit: AuditContext): Promise<Claim | 'absent'>;
  /** Leases proofs that are due, the oldest first; none while another node checks some. */
  leaseDue(request: DueProofsRequest): Promise<readonly DueProof[]>;
}
