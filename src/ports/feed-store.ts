import type { Change } from '../domain/change.ts';
import type { StatusChange } from '../domain/desk.ts';
import type { ReportFilter } from '../domain/feed-filter.ts';
import type { Report } from '../domain/report.ts';
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
export type ChangesOutcome = ChangesPage | 'too-old' | 'ahead' | 'unknown-service';

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

export interface FeedStore {
  list(query: ListQuery): Promise<ListPage>;
  /** How many fit. Costs as much as there are. */
  count(scope: FeedScope, filter: ReportFilter): Promise<number>;
  changes(query: ChangesQuery): Promise<ChangesOutcome>;
  /** The last number of every feed of the scope. */
  heads(scope: FeedScope): Promise<Positions>;
  /** Many at once, in order and in one unit; each as `ReportStore.create` would. */
  createMany(reports: readonly NewReport[]): Promise<readonly Created[]>;
  /** Each report that changes takes a number and is an event. `forbidden` where the account does not own the feed. */
  setStatus(
    target: StatusTarget,
    act: DeskAct,
  ): Promise<StatusOutcome | 'forbidden' | 'token-ended'>;
  /**
   * Lets reports expire whose time has come, and renews those whose C2 was seen again meanwhile. Returns how many
   * it looked at; 0: nothing is due.
   */
  expire(now: Date, limit: number): Promise<number>;
  /** Forgets changes and tombstones older than that. Returns how many it removed, at most `limit`. */
  forgetChanges(before: Date, limit: number): Promise<number>;
  /** A secret of this installation, made once: what signs cursors and tickets. */
  secret(): Promise<Uint8Array>;
  /**
   * Calls the listener after every commit of this process that appended changes, once for each feed that has new
   * ones. What other processes commit is not heard here. Returns how to stop it.
   */
  onChange(listener: (service: string) => void): () => void;
}
