import { Problem } from '../../domain/problem.ts';
import type { C2Address } from '../../domain/reports/c2-address.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ShownReport {
  readonly report: Report;
  /** Whether the desk has rejected the C2, with this report or another one. */
  readonly isC2Rejected: boolean;
  /** What confirms the report: the family whose configuration names its C2. */
  readonly evidence:
    | { readonly family: string | undefined; readonly c2s: readonly C2Address[] }
    | undefined;
}

export async function findReport(
  { store }: Pick<Dependencies, 'store'>,
  service: Service,
  id: string,
): Promise<Report> {
  const report = await store.reports.find(service.slug, id);
  if (report === undefined) throw new Problem('unknown_report');
  return report;
}

/**
 * Returns the report with its status, and what confirms it. Of the analysis it says no more than
 * that: a lookup shows it, for a unit.
 */
export async function showReport(
  deps: Pick<Dependencies, 'store'>,
  service: Service,
  id: string,
): Promise<ShownReport> {
  const report = await findReport(deps, service, id);
  const { sha256, c2, confirmation } = report;
  const isC2Rejected = await deps.store.reports.isC2Rejected(service.slug, c2);
  if (confirmation !== 'confirmed') return { report, isC2Rejected, evidence: undefined };
  const found = await deps.store.samples.evidence(sha256, c2);
  return { report, isC2Rejected, evidence: { family: found?.family, c2s: [c2] } };
}
