import type { DismissalReason, ProposalState } from '../domain/proposals/proposal.ts';
import type { C2Address } from '../domain/reports/c2-address.ts';
import type { Authority } from './authority.ts';

/** A report that the analysis of an upload proposes to an account that uploaded the file. */
export interface Proposal {
  readonly id: string;
  readonly state: ProposalState;
  /** The service that the C2 belongs to, or `unclaimed`; of a decided one, that which it did. */
  readonly service: string;
  readonly confidenceScale: number;
  readonly c2: C2Address;
  readonly sha256: string;
  /** The name under which the account uploaded the file. */
  readonly fileName: string;
  readonly family: string | undefined;
  readonly tags: readonly string[];
  /** Why it was dismissed. */
  readonly reason: DismissalReason | undefined;
  readonly note: string | undefined;
  /** The report that was created, which may have been deleted since. */
  readonly reportId: string | undefined;
  readonly createdAt: Date;
  /**
   * Whether it is open although the C2 does not belong to `service` any more: to no feed, or to
   * another one, for which the account has a proposal too.
   */
  readonly isUnrouted: boolean;
}

export interface ProposalPage {
  readonly accountId: string;
  readonly state: ProposalState | undefined;
  readonly sha256: string | undefined;
  /** Only proposals with a lower id are returned. */
  readonly before: string | undefined;
  readonly limit: number;
}

export interface Dismissal {
  readonly id: string;
  readonly reason: DismissalReason;
  readonly note: string | undefined;
  readonly at: Date;
}

/**
 * Proposals are made in the transaction that finishes an analysis, and when a further account
 * uploads an analysed file. `ReportStore.create` reports one.
 */
export interface ProposalStore {
  /** Newest first. */
  list(page: ProposalPage): Promise<readonly Proposal[]>;
  find(accountId: string, id: string): Promise<Proposal | undefined>;
  /**
   * Dismisses a proposal of the account; a dismissed one gets the new reason. Rejects with a
   * problem if the permission has ended.
   */
  dismiss(by: Authority, dismissal: Dismissal): Promise<Proposal | 'absent' | 'reported'>;
  /**
   * Deletes proposals that were made or decided before that time, at most `limit`. Returns the
   * number found; 0: none is left.
   */
  deleteOld(before: Date, limit: number): Promise<number>;
}
