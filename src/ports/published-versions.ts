import type { ExportedReport, WithdrawnReport } from '../domain/reports/exported-report.ts';
import type { FeedScope } from './feed-store.ts';

/**
 * The newest version of a report, or its deletion. `addedAt` is assigned with the sequence: within
 * a feed it is unique, has milliseconds, and grows in the order of commits. Over all feeds it only
 * grows, and several feeds may have a version of the same millisecond.
 */
export type PublishedVersion =
  | { readonly addedAt: Date; readonly report: ExportedReport }
  | { readonly addedAt: Date; readonly withdrawn: WithdrawnReport };

export interface PublishedQuery {
  readonly scope: FeedScope;
  /** Only versions added later. */
  readonly after: Date | undefined;
  readonly limit: number;
  /** On PostgreSQL the clock of the database is used instead. */
  readonly now: Date;
}

export interface PublishedPage {
  /**
   * In the order of `addedAt`. At most `limit`, or more if that many feeds have a version of the
   * last millisecond: versions of the same time are never on two pages. Versions are not returned
   * before their time has come; over all feeds, not before all earlier ones are committed.
   */
  readonly versions: readonly PublishedVersion[];
  readonly hasMore: boolean;
}

/** Expired reports are included, with their status. */
export interface PublishedVersions {
  page(query: PublishedQuery): Promise<PublishedPage>;
  /** The version of one report, by the report's id, even if its time has not come. */
  find(scope: FeedScope, reportId: string): Promise<PublishedVersion | undefined>;
  /**
   * The last `addedAt` of the scope, `undefined` before the first change. Over all feeds, earlier
   * versions may still follow, so it is no position to read on from.
   */
  newest(scope: FeedScope): Promise<Date | undefined>;
  /**
   * Counts, in the next reports by number, those whose newest version is not in the order of
   * publication. A node that did not know the order, beside newer ones, leaves such reports.
   */
  countUnpublished(after: number, limit: number): Promise<RepairedPage>;
  /** Publishes them, each as a change of its feed. */
  publishAgain(after: number, limit: number, at: Date): Promise<RepairedPage>;
}

export interface RepairedPage {
  readonly count: number;
  /** The number of the last report of the page; `undefined` after the last page. */
  readonly next: number | undefined;
}
