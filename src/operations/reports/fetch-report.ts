import { Problem } from '../../domain/problem.ts';
import type { Service } from '../../domain/services/service.ts';
import type { Dependencies } from '../dependencies.ts';

/** Returns the report as serialized JSON. */
export async function fetchReport(
  deps: Dependencies,
  service: Service,
  id: string,
): Promise<string> {
  const report = await deps.store.reports.fetch(service.slug, id);
  if (report === undefined) throw new Problem('unknown_report');
  return report;
}
