import type { Report } from '../domain/reports/report.ts';
import type { HeatTag } from '../domain/samples/analysis-report.ts';
import type { SearchMatch, Sought } from '../domain/search-query.ts';

export interface SearchQuery {
  readonly sought: Sought;
  readonly limit: number;
}

/** What was found; reports and samples are told apart, each with why it fits. */
export type SearchHit =
  | { readonly kind: 'report'; readonly match: SearchMatch; readonly report: Report }
  | {
      readonly kind: 'sample';
      readonly match: SearchMatch;
      readonly sha256: string;
      readonly fileName: string;
      /** The hottest, at most five. */
      readonly tags: readonly HeatTag[];
    };

export interface SearchStore {
  /**
   * Over all feeds and all samples: a file that has the very hash, then exact matches, then partial ones, each newest
   * first. However much there is, the work is bounded; of what fits only in part some may then be left out.
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /**
   * Brings reports and samples that were stored before there was a search into it, so many of each at most, and tells
   * how many it looked at: none are left when it was 0. It goes on where it was interrupted.
   */
  indexOld(limit: number): Promise<number>;
}
