import type { Route } from '../services/route.ts';
import type { FileEvidence } from './confirmation.ts';
import { expiryAfter } from './desk.ts';
import { nameReport, type Report } from './report.ts';

/** A report as its reporter sends it. */
export type ReportRequest = Pick<
  Report,
  | 'id'
  | 'service'
  | 'tags'
  | 'c2'
  | 'sha256'
  | 'reference'
  | 'confidence'
  | 'reporterId'
  | 'reportedBy'
  | 'reportedAt'
>;

/** What is known about the file and the host of a report when it is created. */
export interface ReportFacts {
  /** `undefined`: the file has no analysis. */
  readonly evidence: FileEvidence | undefined;
  /** `undefined`: no service declares the host. */
  readonly route: Route | undefined;
}

/** The C2 of a report in its feed, counted with the report. */
export interface C2Sightings extends Pick<Report, 'sightings' | 'corroboration' | 'recurrence'> {
  /** The first report of the C2; `undefined`: there is no earlier one. */
  readonly firstSeenId: string | undefined;
}

/** Lists each member: spreading objects of this size is several times slower. */
export function newReport(
  request: ReportRequest,
  { sequence, expireAfterDays }: { readonly sequence: number; readonly expireAfterDays: number },
  history: C2Sightings,
  { evidence, route }: ReportFacts,
): Report {
  return {
    id: request.id,
    service: request.service,
    sequence,
    name: nameReport(evidence?.family, request.tags),
    tags: request.tags,
    c2: request.c2,
    reportedAt: request.reportedAt,
    reporterId: request.reporterId,
    reportedBy: request.reportedBy,
    sha256: request.sha256,
    firstSeenId: history.firstSeenId ?? request.id,
    reference: request.reference,
    confidence: request.confidence,
    createdSequence: sequence,
    status: 'open',
    statusReason: undefined,
    statusNote: undefined,
    updatedAt: request.reportedAt,
    expiresAt: expiryAfter(request.reportedAt, expireAfterDays),
    corroboration: history.corroboration,
    sightings: history.sightings,
    recurrence: history.recurrence,
    confirmation: evidence?.confirmation ?? 'unknown',
    routedTo: route?.service,
  };
}
