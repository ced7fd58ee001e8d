import type { ReporterCounts } from '../domain/trust/outcome.ts';
import type { ServiceCounts } from '../domain/trust/scorecard.ts';

export interface CountedReporter {
  readonly id: string;
  readonly name: string;
  /** Whether the account may report now. */
  readonly isResearcher: boolean;
  /** The feeds with reports of this reporter. */
  readonly services: readonly (Readonly<ReporterCounts> & { readonly service: string })[];
  /** `false` while reports that are older than the counters are counted. */
  readonly isComplete: boolean;
}

/** How good the reports of each reporter are, and how each service deals with its reports. */
export interface TrustStore {
  /** `undefined` if no account has that name. */
  reporter(name: string): Promise<CountedReporter | undefined>;
  /** The times and recurrences are those of the UTC days since `from` (YYYY-MM-DD). */
  service(slug: string, from: string): Promise<ServiceCounts>;
  /** Deletes all counters, so that `FeedStore.fillStatistics` counts all reports again. */
  restartCounting(): Promise<void>;
  /** Reports with a lower number are not counted yet; 0 if all are counted. */
  countedFrom(): Promise<number>;
}
