import { expiryAfter } from '../../../domain/reports/desk.ts';
import { nameReport, type Report } from '../../../domain/reports/report.ts';
import type { Route } from '../../../domain/services/route.ts';
import type { NewReport } from '../../../ports/report-store.ts';
import type { FileEvidence } from '../../../ports/sample-store.ts';
import type { FeedPosition } from '../../tables/feeds/sequences.ts';
import type { C2History } from '../../tables/reports/c2-tally.ts';

/** What other tables say about a report. */
export interface Judgement {
  /** `undefined`: the file has no analysis. */
  readonly evidence: FileEvidence | undefined;
  /** `undefined`: no service declares the host. */
  readonly route: Route | undefined;
}

/** Lists each member: spreading objects of this size is several times slower. */
export function newReport(
  request: NewReport,
  { sequence, expireAfterDays }: Pick<FeedPosition, 'sequence' | 'expireAfterDays'>,
  history: C2History,
  { evidence, route }: Judgement,
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
