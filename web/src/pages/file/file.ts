import type { AnalysisDetails, AnalysisReport } from '../../../../src/client/wire.ts';

/** What a lookup of a file returns. */
export interface LookedUpFile {
  readonly report: AnalysisReport;
  readonly details: AnalysisDetails;
}
