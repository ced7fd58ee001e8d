import type { Change } from '../domain/reports/change.ts';
import type { PositionBase } from '../domain/reports/cursor.ts';
import type { StatusChange } from '../domain/reports/desk.ts';
import type { ReportFilter } from '../domain/reports/feed-filter.ts';
import type { Report } from '../domain/reports/report.ts';
import type { Created, NewReport } from './report-store.ts';

/** Which feeds are read: one, or (`undefined`) every one there is. */
export type FeedScope = string | undefined;

/** Where a reader stands in each feed, by slug: the last number it has. A feed that is not named: before its first. */
export type Positions = ReadonlyMap<string, number>;

export interface ListQuery {
  readonly scope: FeedScope;
  readonly filter: ReportFilter;
  /** By creation: `desc` is newest first. */
  readonly order: 'asc' | 'desc';
  /** `next` of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface ListPage {
  /**
   * At most as many as were asked for. Fewer, even none, may come although there are more: where several filters
   * leave little of much, a page ends when enough was looked at.
   */
  readonly reports: readonly Report[];
  /**
   * Where the next page goes on, `undefined` where there is none: short printable text that means something to the
   * store alone, and holds whatever is deleted meanwhile.
   */
  readonly next: string | undefined;
}

/** The same page without the reports. */
export interface NumberPage {
  /** The numbers of its reports, in order. */
  readonly numbers: readonly number[];
  readonly next: string | undefined;
}

export interface ChangesQuery {
  readonly scope: FeedScope;
  readonly since: Positions;
  readonly limit: number;
}

export interface ChangesPage {
  /** In each feed by number and without a gap; over all feeds in the order of time. */
  readonly changes: readonly Change[];
  /** Where the reader stands after these, in every feed of the scope. */
  readonly next: Positions;
  /** The last number of every feed of the scope. */
  readonly heads: Positions;
  readonly hasMore: boolean;
}

/**
 * `too-old`: changes that followed were dropped meanwhile; the reader must begin anew, by listing. `ahead`: that
 * number was never given.
 */
export type ChangesOutcome = ChangesPage | ChangesRefusal;

export type ChangesRefusal = 'too-old' | 'ahead' | 'unknown-service';

/** A change without the report as it stands, or who deleted it. */
export type ChangeStep = Omit<Change, 'report' | 'deletion'>;

/** The same page without the reports. */
export interface ChangeStepsPage extends Omit<ChangesPage, 'changes'> {
  readonly changes: readonly ChangeStep[];
}

export interface StatusTarget {
  readonly service: string;
  /** These, or all that fit the filter. */
  readonly ids?: readonly string[] | undefined;
  readonly filter?: ReportFilter | undefined;
  /** `next` of the call before, with the same filter. */
  readonly after?: string | undefined;
  /** At most so many in one unit; whoever wants more calls again while there is a `next`. */
  readonly limit: number;
}

/** What the desk answers, and whether the caller owns the feed: that is part of the statement that changes it. */
export interface DeskAct extends StatusChange {
  readonly accountId: string;
  /** The name of the account, for the audit log and those who may know who acted. */
  readonly actor: string;
  /** The token of the call, which must still be good when the change is committed. None is checked without it. */
  readonly tokenId?: string | undefined;
  readonly at: Date;
}

export interface StatusOutcome {
  /** Those that were not so already, each with a number and an event of its own. */
  readonly changed: number;
  /** Ids that stand in no report of this feed. */
  readonly absent: readonly string[];
  /** Where to go on where the limit ended it before everything that fits the filter was changed. */
  readonly next: string | undefined;
}

export interface CountedReports {
  readonly total: number;
  /** Whether there may be more. */
  readonly isLowerBound: boolean;
}

export interface FeedStore {
  list(query: ListQuery): Promise<ListPage>;
  /** For pages that are read in parts: which reports are in one. */
  listNumbers(query: ListQuery): Promise<NumberPage>;
  /** Those of the reports that still stand, in the order of the numbers. */
  reportsByNumber(numbers: readonly number[]): Promise<readonly Report[]>;
  /** How many fit, up to a bound: a feed has no end. */
  count(scope: FeedScope, filter: ReportFilter): Promise<CountedReports>;
  changes(query: ChangesQuery): Promise<ChangesOutcome>;
  /** For pages that are read in parts: the changes without their reports. */
  changeSteps(query: ChangesQuery): Promise<ChangeStepsPage | ChangesRefusal>;
  /** The same changes with the reports that stand by now. */
  withReports(steps: readonly ChangeStep[]): Promise<readonly Change[]>;
  /** The last number of every feed of the scope. */
  heads(scope: FeedScope): Promise<Positions>;
  /** Many at once, in order and in one unit; each as `ReportStore.create` would. */
  createMany(reports: readonly NewReport[]): Promise<readonly Created[]>;
  /** Each report that changes takes a number and is an event. `forbidden` where the account does not own the feed. */
  setStatus(
    target: StatusTarget,
    audit: DeskAct,
  ): Promise<StatusOutcome | 'forbidden' | 'token-ended'>;
  /**
   * Lets reports expire whose time has come, and renews those whose C2 was seen again meanwhile. Returns how many
   * it looked at; 0: nothing is due.
   */
  expire(now: Date, limit: number): Promise<number>;
  /**
   * Goes on renaming the reports of files that have got an analysis and of which there are many, at most `limit` at a
   * time, each a change of its own. Returns how much was done; 0: nothing is pending.
   */
  renamePending(at: Date, limit: number): Promise<number>;
  /** Forgets changes and tombstones older than that. Returns how many it removed, at most `limit`. */
  forgetChanges(before: Date, limit: number): Promise<number>;
  /** Positions that were stored under that digest; `undefined` where they are forgotten. Counts as a use of them. */
  findPositions(digest: string, now: Date): Promise<PositionBase | undefined>;
  /** Those that were stored or used last, where that was since then. Does not count as a use of them. */
  latestPositions(since: Date): Promise<PositionBase | undefined>;
  /** Stores positions. `undefined` where there is no room: too many others were used within a day. */
  keepPositions(positions: Positions, now: Date): Promise<PositionBase | undefined>;
  /** Forgets positions that nobody has used since. Returns how many, at most `limit`. */
  forgetPositions(before: Date, limit: number): Promise<number>;
  /** A secret of this installation, made once: what signs cursors and tickets. */
  secret(): Promise<Uint8Array>;
  /**
   * Calls the listener after every commit of this process that appended changes, once for each feed that has new
   * ones. What other processes commit is not heard here. Returns how to stop it.
   */
  onChange(listener: (service: string) => void): () => void;
}
