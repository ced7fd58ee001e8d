import type { AnalysisDetails, AnalysisReport } from '../../../../src/client/wire.ts';

export const NO_DETAILS: AnalysisDetails = { evidence: [], indicators: [], facts: {}, members: [] };

/** What a lookup of a file returns. */
export interface LookedUpFile {
  readonly report: AnalysisReport;
  readonly details: AnalysisDetails;
  /** Another installation made the report, and its details were not imported. */
  readonly isImported: boolean;
}
