import { isUnresolved, type ReportStatus } from '../../../../domain/reports/desk.ts';
import { isMisrouted } from '../../../../domain/reports/report.ts';
import { routesOf } from '../../../tables/services/routes.ts';
import type { StatisticCounts } from '../../../tables/statistics/counters.ts';
import type { UnitOfWork } from '../../../units/unit-of-work.ts';

/**
 * The route of a report with a final status stays as it was. When the report is opened again, it
 * gets the current one.
 */

interface RoutedReport {
  readonly status: ReportStatus;
  readonly host: string;
  readonly routed_to: string | null;
}

export type WithNewRoute<Report extends RoutedReport> = Report & {
  readonly newRoute: string | null;
};

export function isReopened(before: ReportStatus, after: ReportStatus): boolean {
  return !isUnresolved(before) && isUnresolved(after);
}

/** The reports with their routes after the change. The caller has locked the routes, shared. */
export function* withRoutes<Report extends RoutedReport>(
  reports: readonly Report[],
  status: ReportStatus,
): UnitOfWork<readonly WithNewRoute<Report>[]> {
  const reopened = reports.filter((report) => isReopened(report.status, status));
  const routes = reopened.length === 0 ? undefined : yield* routesOf(reopened.map(hostOf));
  return reports.map((report) => ({
    ...report,
    newRoute: isReopened(report.status, status)
      ? (routes?.get(report.host)?.service ?? null)
      : report.routed_to,
  }));
}

function hostOf({ host }: RoutedReport): string {
  return host;
}

/** Counts whether a report, which is counted already, is in the wrong feed. */
export function countRoute(
  counts: StatisticCounts,
  { service, serviceId }: { readonly service: string; readonly serviceId: number },
  { routed_to, newRoute }: WithNewRoute<RoutedReport>,
): void {
  counts.changeMisrouted(
    serviceId,
    isMisrouted({ service, routedTo: routed_to ?? undefined }),
    isMisrouted({ service, routedTo: newRoute ?? undefined }),
  );
}
