import type { Change, FeedChange } from '../domain/reports/change.ts';
import type { PositionBase, Positions } from '../domain/reports/cursor.ts';
import type { StatusChange } from '../domain/reports/desk.ts';
import type { ExportedReport } from '../domain/reports/exported-report.ts';
import type { ReportFilter } from '../domain/reports/feed-filter.ts';
import type { SerializedReport } from '../domain/reports/report.ts';
import type { FeedCounts } from '../domain/reports/statistics.ts';
import type { DeclaredHosts, Service } from '../domain/services/service.ts';
import type { CreateOutcome, NewReport } from './report-store.ts';

/** The slug of one feed, or `undefined` for all feeds. */
export type FeedScope = string | undefined;

/** A feed at one moment. */
export interface FeedState {
  readonly service: Service;
  /** The sequence of its last change. */
  readonly head: number;
  /** When that was made; the creation of the feed if there is none. Never in the future. */
  readonly changedAt: string;
}

/** What all services declare, in the order of their slugs. */
export interface AllDeclaredHosts extends DeclaredHosts {
  /** The same for the same hosts and networks. */
  readonly digest: string;
}

export interface ListQuery {
  readonly scope: FeedScope;
  readonly filter: ReportFilter;
  /** By creation: `desc` is newest first. */
  readonly order: 'asc' | 'desc';
  /** `next` of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Turns the rows of a page into what the caller sends. The store calls it within the read, so that
 * the rows of concurrent pages are not in memory at the same time. It may be called again.
 */
export type Present<Item, Content> = (items: readonly Item[]) => Content;

/** A report as it is sent to any reader, or one whose text depends on the reader. */
export type ReportText = string | SerializedReport;

export interface ListPage<Content> {
  /**
   * At most `limit`. Fewer, even none, although there are more, if a page with selective filters
   * has scanned as many reports as a page may.
   */
  readonly reports: Content;
  /**
   * The start of the next page, `undefined` after the last one. Short printable text that is opaque
   * to callers, and stays valid when reports are deleted.
   */
  readonly next: string | undefined;
}

/** A page with the numbers of its reports instead of the reports, in order. */
export interface NumberPage extends Omit<ListPage<never>, 'reports'> {
  readonly numbers: readonly number[];
}

export interface ChangesQuery {
  readonly scope: FeedScope;
  readonly since: Positions;
  readonly limit: number;
}

export interface ChangesPage<Content> {
  /** In each feed by sequence and without a gap; over all feeds by time. */
  readonly changes: Content;
  /** The positions after these changes, in every feed of the scope. */
  readonly next: Positions;
  /** The last sequence of every feed of the scope. */
  readonly heads: Positions;
  readonly hasMore: boolean;
}

/**
 * `too-old`: changes after the position were deleted, so the reader must list again. `ahead`: the
 * feed has not reached that sequence.
 */
export type ChangesOutcome<Content> = ChangesPage<Content> | ChangesRefusal;

export type ChangesRefusal = 'too-old' | 'ahead' | 'unknown-service';

/** A change without its report and its deletion, which `withReports` adds. */
export type ChangeRecord = Omit<Change, 'report' | 'deletion'>;

/** A `ChangesPage` without the reports. */
export type ChangeRecordsPage = ChangesPage<readonly ChangeRecord[]>;

export interface StatusTarget {
  readonly service: string;
  /** These reports, or all that match the filter. */
  readonly ids?: readonly string[] | undefined;
  readonly filter?: ReportFilter | undefined;
  /** `next` of the previous call, with the same filter. */
  readonly after?: string | undefined;
  /** The limit for one unit. Callers repeat the call while there is a `next`. */
  readonly limit: number;
}

/** The new status and the caller, whose ownership of the feed is a condition of the update. */
export interface StatusChangeRequest extends StatusChange {
  readonly accountId: string;
  /** The name of the account, for the audit log and for readers who may see it. */
  readonly actor: string;
  /**
   * The token of the call, which must be valid when the change is committed; `undefined`: no check.
   */
  readonly tokenId?: string | undefined;
  readonly at: Date;
}

export interface StatusOutcome {
  /** The number of reports with another status before; each is an event with its own sequence. */
  readonly changed: number;
  /** Ids without a report in this feed. */
  readonly absent: readonly string[];
  /** Where to continue if the limit was reached before all matching reports were changed. */
  readonly next: string | undefined;
}

export interface CountedReports {
  readonly total: number;
  /** Whether there may be more. */
  readonly isLowerBound: boolean;
}

export interface FeedStore {
  list<Content>(
    query: ListQuery,
    present: Present<ReportText, Content>,
  ): Promise<ListPage<Content>>;
  /** For pages that are streamed: the numbers of the reports in a page. */
  listNumbers(query: ListQuery): Promise<NumberPage>;
  /** The reports that still exist, in the order of the numbers. */
  reportsByNumber(numbers: readonly number[]): Promise<readonly SerializedReport[]>;
  /** The same reports with all that exports write. */
  exportedByNumber(numbers: readonly number[]): Promise<readonly ExportedReport[]>;
  /** The number of matching reports, up to a bound. */
  count(scope: FeedScope, filter: ReportFilter): Promise<CountedReports>;
  /** The counts of the UTC days since `from` (YYYY-MM-DD), and of all existing reports. */
  statistics(scope: FeedScope, from: string): Promise<FeedCounts>;
  /** The open reports of each of the services; `undefined` while older reports are counted. */
  openReports(services: readonly string[]): Promise<readonly number[] | undefined>;
  /** Counts reports that are older than the counters, at most `limit`. Returns their number. */
  fillStatistics(limit: number): Promise<number>;
  changes<Content>(
    query: ChangesQuery,
    present: Present<FeedChange, Content>,
  ): Promise<ChangesOutcome<Content>>;
  /** For pages that are streamed: the changes without their reports. */
  changeRecords(query: ChangesQuery): Promise<ChangeRecordsPage | ChangesRefusal>;
  /** Adds the current reports and the deletions to the changes. */
  withReports(records: readonly ChangeRecord[]): Promise<readonly Change[]>;
  /** The last sequence of every feed of the scope. */
  heads(scope: FeedScope): Promise<Positions>;
  /** The feeds of the scope, by slug. The same object for all feeds until one of them changes. */
  states(scope: FeedScope): Promise<readonly FeedState[]>;
  /** Read again only after services, accounts or tokens have changed. */
  declaredHosts(): Promise<AllDeclaredHosts>;
  /** Creates reports in order and in one unit, each like `ReportStore.create`. */
  createMany(reports: readonly NewReport[]): Promise<readonly CreateOutcome[]>;
  /**
   * Each changed report is an event of the feed. `forbidden` if the account does not own the feed.
   */
  setStatus(
    target: StatusTarget,
    change: StatusChangeRequest,
  ): Promise<StatusOutcome | 'forbidden' | 'token-ended'>;
  /**
   * Expires reports that are due, and renews those whose C2 was reported again since. Returns the
   * number of reports processed; 0: nothing is due.
   */
  expire(now: Date, limit: number): Promise<number>;
  /**
   * Updates names and confirmations of pending reports, of files with a new or removed analysis and
   * many reports, at most `limit`. Each update is an event of its feed. Returns the number of steps
   * done; 0: nothing is pending.
   */
  reevaluatePending(at: Date, limit: number): Promise<number>;
  /**
   * Changes further reports of C2s that a desk has rejected, or whose rejection it has taken back,
   * so that readers fetch them again; at most `limit`. Each is an event of its feed. Returns the
   * number of steps done; 0: nothing is pending.
   */
  changeRejectedReports(at: Date, limit: number): Promise<number>;
  /**
   * Updates the confirmation and the route of reports that are older than these, and the route
   * after a change of the declared hosts of a service. Looks at no more than `limit` reports,
   * newest first. Each update is an event of its feed. Returns the number of steps done; 0: none is
   * left.
   */
  reevaluateOld(at: Date, limit: number): Promise<number>;
  /**
   * Deletes changes and tombstones older than that, at most `limit`. Returns the number deleted.
   */
  deleteOldChanges(before: Date, limit: number): Promise<number>;
  /** The positions stored under that digest, `undefined` if they were deleted. Counts as a use. */
  findPositions(digest: string, now: Date): Promise<PositionBase | undefined>;
  /** The positions stored or used last, if that was after `since`. Does not count as a use. */
  latestPositions(since: Date): Promise<PositionBase | undefined>;
  /** `undefined` if the table is full and all its positions were used within a day. */
  storePositions(positions: Positions, now: Date): Promise<PositionBase | undefined>;
  /** Deletes positions not used since then, at most `limit`. Returns the number deleted. */
  deleteUnusedPositions(before: Date, limit: number): Promise<number>;
  /** The secret of this installation that signs cursors and tickets. Generated on first use. */
  secret(): Promise<Uint8Array>;
  /** The UUID from which ids of published objects are derived. Never changes. */
  objectNamespace(): Promise<string>;
  /**
   * Calls the listener after every commit of this process that appended changes, once for each feed
   * with new ones. Commits of other processes are not reported. Returns the unsubscribe function.
   */
  onChange(listener: (service: string) => void): () => void;
}
