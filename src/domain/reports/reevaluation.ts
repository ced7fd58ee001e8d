import type { FileEvidence } from './confirmation.ts';
import { isUnresolved } from './desk.ts';
import { nameReport, type Report } from './report.ts';

/** What becomes of a stored report after an analysis of its file, or a change of a service. */

/**
 * The report with what the analysis of its file says; `undefined` if nothing changes. Without an
 * analysis the report keeps its name.
 */
export function withEvidence(
  report: Report,
  evidence: FileEvidence | undefined,
  at: Date,
): Report | undefined {
  const name = evidence === undefined ? report.name : nameReport(evidence.family, report.tags);
  const confirmation = evidence?.confirmation ?? 'unknown';
  return name === report.name && confirmation === report.confirmation
    ? undefined
    : { ...report, name, confirmation, updatedAt: at };
}

/** The report with its service; `undefined` if it stays. A final status keeps the one it had. */
export function withRoute(
  report: Report,
  service: string | undefined,
  at: Date,
): Report | undefined {
  return !isUnresolved(report.status) || service === report.routedTo
    ? undefined
    : { ...report, routedTo: service, updatedAt: at };
}
