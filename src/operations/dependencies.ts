import type { AccountLimits } from '../domain/accounts/account-limits.ts';
import { formatUuidV7 } from '../domain/uuid.ts';
import type { OpenDigester } from '../ports/digester.ts';
import type { SampleFiles } from '../ports/sample-files.ts';
import type { Store } from '../ports/store.ts';
import type { AnalysisNews } from './samples/analysis-news.ts';

/** What operations stand on. Clock and chance come from outside, so that tests can give their own. */
export interface Dependencies {
  readonly store: Store;
  readonly files: SampleFiles;
  readonly openDigester: OpenDigester;
  readonly uploadLimitBytes: number;
  readonly accountLimits: AccountLimits;
  /** Who waits for an analysis hears of it here. */
  readonly news: AnalysisNews;
  now(): Date;
  randomBytes(count: number): Uint8Array;
  /** Where a browser finds the page of a file. */
  resultsPage(sha256: string): string;
}

export function newId(deps: Pick<Dependencies, 'now' | 'randomBytes'>): string {
  return formatUuidV7(deps.now(), deps.randomBytes(10));
}
