import { Problem } from '../../domain/problem.ts';
import type { Report } from '../../domain/reports/report.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the report with its status, for the extended form. */
export async function showReport(
  deps: Dependencies,
  service: Service,
  id: string,
): Promise<Report> {
  const report = await deps.store.reports.find(service.slug, id);
  if (report === undefined) throw new Problem('unknown_report');
  return report;
}
