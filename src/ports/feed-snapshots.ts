import type { ExportedReport } from '../domain/reports/exported-report.ts';
import type { ReportFilter } from '../domain/reports/feed-filter.ts';
import type { FeedScope, FeedState } from './feed-store.ts';

export interface SnapshotQuery {
  readonly filter: ReportFilter;
  /** Whether a filter without a status includes the expired reports. */
  readonly hasExpired?: boolean | undefined;
  /** By number; by host, port and number; or by SHA-256 and number. */
  readonly order: 'creation' | 'address' | 'file';
  /** The values that are read; all if absent. Those of the other members are not set. */
  readonly fields?: readonly (keyof ExportedReport)[] | undefined;
}

/**
 * One feed or all of them as of the moment in which it was opened, for reads of any length. Uses a
 * connection of its own until it is closed.
 */
export interface FeedSnapshot {
  /** By slug. */
  feeds(): Promise<readonly FeedState[]>;
  /** In batches. Memory does not depend on the number of reports. */
  reports(query: SnapshotQuery): AsyncGenerator<readonly ExportedReport[], void>;
  close(): Promise<void>;
}

export interface FeedSnapshots {
  open(scope: FeedScope): Promise<FeedSnapshot>;
}
