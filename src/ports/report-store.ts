import type { C2Address } from '../domain/reports/c2-address.ts';
import type { ReportStatus } from '../domain/reports/desk.ts';
import type { Report } from '../domain/reports/report.ts';
import type { AuditContext } from './audit-context.ts';
import type { Refusal } from './authority.ts';

export interface NewReport {
  readonly id: string;
  readonly service: string;
  readonly tags: readonly string[];
  readonly c2: C2Address;
  readonly sha256: string;
  readonly reference: string;
  readonly confidence: number;
  readonly reporterId: string;
  readonly reportedBy: string;
  /**
   * The token of the call, which must be valid when the report is committed; `undefined`: no check.
   */
  readonly tokenId?: string | undefined;
  readonly reportedAt: Date;
  readonly retry: RetryKey | undefined;
  /** An open proposal of the reporter that is reported with it. */
  readonly proposalId?: string | undefined;
}

/** An idempotency key: a create with the same key and fingerprint gets the first answer again. */
export interface RetryKey {
  readonly route: string;
  readonly key: string;
  readonly fingerprint: Uint8Array;
}

/** `replayed`: the report of an earlier call with the same key, or of the same proposal. */
export interface CreatedReport {
  readonly kind: 'created' | 'replayed';
  readonly id: string;
  /** The desk of the feed has rejected the C2: the report gives no indicator of it. */
  readonly isC2Rejected?: true;
}

export type CreateOutcome =
  | CreatedReport
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'unknown-service' }
  | { readonly kind: 'proposal-absent' | 'proposal-dismissed' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What a create would store. Its id and sequence are not those of a later create. */
export interface ReportPreview {
  readonly report: Report;
  /** Whether the feed has no report of this C2. */
  readonly isFirst: boolean;
  /** How many reports of this C2 the reporter has in the feed. */
  readonly ownReports: number;
  /** Whether the desk of the feed has rejected the C2. */
  readonly isC2Rejected: boolean;
}

/** Which report is deleted, and the contents of its tombstone. */
export interface ReportDeletion {
  readonly id: string;
  readonly by: string;
  readonly at: Date;
  readonly reason: string;
}

/** A status that a report has had. Absent members: none was given; by: the report expired. */
export interface StatusEntry {
  readonly at: Date;
  readonly sequence: number;
  readonly status: ReportStatus;
  readonly reason: string | undefined;
  readonly note: string | undefined;
  /** The name of the account. */
  readonly by: string | undefined;
}

export interface ReportHistory {
  readonly report: Report;
  /** Oldest first. Statuses that were set before they were recorded are missing. */
  readonly statuses: readonly StatusEntry[];
  /** Whether older ones were left out. */
  readonly hasMore: boolean;
}

export interface ReportStore {
  /** Writes report, sequence, event, retry key and the state of a proposal in one unit. */
  create(report: NewReport): Promise<CreateOutcome>;
  /** What `create` would store, without storing it. `undefined` if the service does not exist. */
  preview(report: NewReport): Promise<ReportPreview | undefined>;
  find(service: string, id: string): Promise<Report | undefined>;
  /** With its newest statuses, at most `limit`. */
  history(service: string, id: string, limit: number): Promise<ReportHistory | undefined>;
  /** Whether the desk of the feed has rejected the C2 as a false positive. */
  isC2Rejected(service: string, c2: C2Address): Promise<boolean>;
  /** The serialized report. */
  fetch(service: string, id: string): Promise<string | undefined>;
  /**
   * Deletes a report of the feed if the account owns the feed or created the report. With a token,
   * token and ownership are checked again in the transaction.
   */
  delete(
    service: string,
    by: {
      readonly accountId: string;
      readonly ownsFeed: boolean;
      readonly tokenId?: string | undefined;
    },
    deletion: ReportDeletion,
  ): Promise<'deleted' | 'absent' | 'forbidden' | 'token-ended'>;
  /** Deletes a report of any feed, for an operator. */
  purge(deletion: ReportDeletion, audit: AuditContext): Promise<'deleted' | 'absent'>;
  /**
   * Deletes retry keys older than that, at most `limit`. Returns the number deleted; 0: none is
   * left.
   */
  deleteOldRetryKeys(before: Date, limit: number): Promise<number>;
}
