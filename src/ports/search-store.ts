import type { C2Address } from '../domain/reports/c2-address.ts';
import type { ReportStatus } from '../domain/reports/desk.ts';
import type { Report } from '../domain/reports/report.ts';
import type { HeatTag } from '../domain/samples/analysis-report.ts';
import type { SearchInput, SearchMatch } from '../domain/search-query.ts';

export interface SearchQuery {
  readonly input: SearchInput;
  readonly limit: number;
}

/** A report or a sample, with the reason for the match. */
export type SearchHit =
  | { readonly kind: 'report'; readonly match: SearchMatch; readonly report: Report }
  | {
      readonly kind: 'sample';
      readonly match: SearchMatch;
      readonly sha256: string;
      readonly fileName: string;
      /** The five with the highest heat. */
      readonly tags: readonly HeatTag[];
    };

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Whether the limit or a bound of the search left out hits, or may have. */
  readonly hasMore: boolean;
}

/** One C2, or all C2s of a host. The host is canonical. */
export interface HostOrC2 {
  readonly host: string;
  readonly port?: number | undefined;
}

/** The members of a report that are counted. */
export interface CountedReport {
  readonly status: ReportStatus;
  readonly name: string;
  readonly reportedAt: Date;
  readonly reportedBy: string;
}

export interface C2Feed {
  readonly service: string;
  /** Newest first, at least one. */
  readonly reports: readonly CountedReport[];
  /** Whether older ones were left out. */
  readonly hasMore: boolean;
  /** The time of the oldest report, including those left out. */
  readonly firstReportedAt: Date;
  /** Whether the desk has rejected the C2; `false` for a host. */
  readonly isC2Rejected: boolean;
}

export interface C2Reports {
  /** Only feeds with a report. */
  readonly feeds: readonly C2Feed[];
  /** Whether reports or feeds were left out. */
  readonly isLowerBound: boolean;
  /** The newest over all feeds, newest first. */
  readonly newest: readonly Report[];
}

/** What a search shows of a sample, and a family. */
export interface C2Sample {
  readonly sha256: string;
  readonly fileName: string;
  readonly tags: readonly HeatTag[];
  /** That of the settings that name the address, else that of the file. */
  readonly family: string | undefined;
}

export interface C2Samples {
  readonly samples: readonly C2Sample[];
  /** Whether older ones were left out, or may have been. */
  readonly hasMore: boolean;
}

/** A list that is cut at a bound. */
export interface BoundedList<Item> {
  readonly items: readonly Item[];
  /** Whether there are more, or may be. */
  readonly hasMore: boolean;
}

export interface RelatedC2 {
  readonly c2: C2Address;
  /** The family of the settings that name it, else that of the file. */
  readonly family: string | undefined;
}

/** A file whose settings name an address. */
export interface RelatedFile {
  readonly sha256: string;
  readonly fileName: string;
  /** The C2s of the same settings: first those of the address itself, then others. */
  readonly c2s: BoundedList<RelatedC2>;
}

/** What belongs to a C2, or to all C2s of a host. */
export interface RelatedToAddress {
  /** Newest first. */
  readonly files: BoundedList<RelatedFile>;
  /** The ports of all C2s of the host, in reports and in settings, in their order. */
  readonly ports: BoundedList<number>;
  /** The names below the host, in reports and in settings; none for an IP address. */
  readonly names: BoundedList<string>;
}

export interface RelatedLimits {
  readonly files: number;
  readonly c2sOfFile: number;
  readonly ports: number;
  readonly names: number;
}

export interface SearchStore {
  /** Counts at most 1,000 reports of a feed, and 2,000 in all if there are several feeds. */
  reportsOf(address: HostOrC2, options: { readonly newest: number }): Promise<C2Reports>;
  /** The samples whose configuration names the address, newest first. */
  samplesOf(address: HostOrC2, limit: number): Promise<C2Samples>;
  relatedTo(address: HostOrC2, limits: RelatedLimits): Promise<RelatedToAddress>;
  /**
   * Over all feeds and all samples: the file with that hash, then exact matches, then partial ones,
   * each newest first. The work is bounded, so some partial matches may be left out.
   */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /**
   * Indexes reports and samples that were stored before the search index existed, at most `limit`
   * of each. Returns the number processed; 0: none is left. Continues where it was interrupted.
   */
  backfill(limit: number): Promise<number>;
}
