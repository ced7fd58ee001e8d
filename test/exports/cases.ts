import { readdirSync, readFileSync } from 'node:fs';
import type { ExportedReport } from '../../src/domain/reports/exported-report.ts';
import type { ExportContext, ExportedService } from '../../src/exports/exporter.ts';
import { exportContext, exportedReport, exportedService, type PartialReport } from './reports.ts';

/**
 * The reports of the golden files and of the validators. `golden/<name>.json` has those of a case,
 * and in `context` what differs from the usual context.
 */
export interface ExportCase {
  readonly name: string;
  readonly reports: readonly ExportedReport[];
  readonly context: ExportContext;
}

interface CaseFile {
  readonly context?: Partial<Omit<ExportContext, 'services'>>;
  /** Instead of the usual service. */
  readonly services?: readonly Partial<ExportedService>[];
  readonly reports: readonly PartialReport[];
}

export const GOLDEN = `${import.meta.dirname}/golden/`;

export const CASES: readonly ExportCase[] = readdirSync(GOLDEN)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => caseOf(file.slice(0, -'.json'.length), readFileSync(`${GOLDEN}${file}`, 'utf8')));

function caseOf(name: string, text: string): ExportCase {
  const { context, services, reports }: CaseFile = JSON.parse(text);
  const all = services?.map(exportedService).map((one) => [one.slug, one] as const);
  return {
    name,
    reports: reports.map((report, index) => exportedReport(index + 1, report)),
    context: exportContext({ ...context, ...(all && { services: new Map(all) }) }),
  };
}
