import type { ExtendedReport } from '../../../../src/client/wire.ts';

type Reported = Pick<
  ExtendedReport,
  'id' | 'service' | 'status' | 'statusReason' | 'reportedAt' | 'updatedAt'
>;

/** What a feed says about a C2. */
export interface ReportedState {
  readonly service: string;
  readonly status: Exclude<ExtendedReport['status'], 'expired'>;
  readonly reason: string | null;
  /** Since when it is open, or when the desk decided. */
  readonly at: string;
  /** The newest report with this status. */
  readonly id: string;
}

/** A feed has the status of its most urgent report. */
const URGENCY = ['open', 'acknowledged', 'actioned', 'rejected'] as const;

/**
 * What each feed says about a C2, most urgent first; none if it was never reported, or all reports
 * have expired. `newest` are its reports, newest first.
 */
export function reportedStates(newest: readonly Reported[]): readonly ReportedState[] {
  const byFeed = Map.groupBy(newest, ({ service }) => service);
  return [...byFeed]
    .flatMap(([service, reports]) => stateOf(service, reports) ?? [])
    .toSorted((one, other) => URGENCY.indexOf(one.status) - URGENCY.indexOf(other.status));
}

function stateOf(service: string, reports: readonly Reported[]): ReportedState | undefined {
  for (const status of URGENCY) {
    const same = reports.filter((report) => report.status === status);
    const [first] = same;
    const oldest = same.at(-1);
    if (first === undefined || oldest === undefined) continue;
    const isUndecided = status === 'open' || status === 'acknowledged';
    return {
      service,
      status,
      reason: first.statusReason,
      at: isUndecided ? oldest.reportedAt : first.updatedAt,
      id: first.id,
    };
  }
  return undefined;
}
