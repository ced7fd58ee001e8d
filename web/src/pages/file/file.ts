import type { AnalysisDetails, AnalysisReport } from '../../../../src/client/wire.ts';

export const NO_DETAILS: AnalysisDetails = { evidence: [], indicators: [], facts: {}, members: [] };

/** What a lookup of a file returns. */
export interface LookedUpFile {
  readonly report: AnalysisReport;
  readonly details: AnalysisDetails;
  /** Another installation made the report, and its details were not imported. */
  readonly isImported: boolean;
}

export interface FileC2 {
  /** `host:port`. */
  readonly address: string;
  /** The family whose settings name it. */
  readonly family: string;
}

/** The addresses in the settings of a file, each once, with the first family that names it. */
export function c2sOf({ c2s = [] }: AnalysisDetails): readonly FileC2[] {
  const families = new Map<string, string>();
  for (const { host, port, family } of c2s) {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    if (!families.has(address)) families.set(address, family);
  }
  return [...families].map(([address, family]) => ({ address, family }));
}
