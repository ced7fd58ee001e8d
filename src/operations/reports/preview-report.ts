import type { Caller } from '../../domain/accounts/caller.ts';
import { requireRole } from '../../domain/accounts/require-role.ts';
import { Problem } from '../../domain/problem.ts';
import type { ReportDraft } from '../../domain/reports/report.ts';
import type { Route } from '../../domain/services/route.ts';
import type { Service } from '../../domain/services/service.ts';
import type { ReportPreview } from '../../ports/report-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { findRoute } from '../services/find-route.ts';
import { newReport } from './create-report.ts';

export interface PreviewedReport extends ReportPreview {
  /** The service that answers for the host, which may be another one. */
  readonly route: Route | undefined;
}

/** Returns what `createReport` would store, with the same refusals. Stores and spends nothing. */
export async function previewReport(
  deps: Dependencies,
  caller: Caller,
  service: Service,
  draft: ReportDraft,
): Promise<PreviewedReport> {
  requireRole(caller, 'researcher');
  const source = { caller, service, at: deps.now() };
  const preview = await deps.store.reports.preview(newReport(deps, source, draft, undefined));
  if (preview === undefined) throw new Problem('unknown_service');
  return { ...preview, route: await findRoute(deps, draft.c2.host) };
}
