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

export interface SearchStore {
  /**
   * Over all feeds and all samples: the file with that hash, then exact matches, then partial ones,
   * each newest first. The work is bounded, so some partial matches may be left out.
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /**
   * Indexes reports and samples that were stored before the search index existed, at most `limit`
   * of each. Returns the number processed; 0: none is left. Continues where it was interrupted.
   */
  backfill(limit: number): Promise<number>;
}
