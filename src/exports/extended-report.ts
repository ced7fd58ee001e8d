import type { ExportedReport } from '../domain/reports/exported-report.ts';

/** The members of an extended report, as the texts between its values. */
export const EXTENSION = {
  beforeService: ',"service":"',
  beforeSequence: '","sequence":',
  beforeStatus: ',"status":"',
  beforeUpdatedAt: '","statusReason":null,"updatedAt":"',
  beforeExpiresAt: 'Z","expiresAt":"',
  beforeCorroboration: 'Z","corroboration":',
  beforeSightings: ',"sightings":',
  beforeRecurrence: ',"recurrence":',
  beforeConfirmation: ',"confirmation":"',
  withoutRoute: '","misrouted":false,"routedTo":null}',
  beforeOwnRoute: '","misrouted":false,"routedTo":"',
  beforeOtherRoute: '","misrouted":true,"routedTo":"',
  afterRoute: '"}',
} as const;

/** The length of a stored time up to its seconds, as `formatUtc` shows it. */
export const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** The members that `serializeExtension` reads. */
export const EXTENDED_FIELDS = [
  'service',
  'sequence',
  'status',
  'statusReason',
  'updatedAt',
  'expiresAt',
  'corroboration',
  'sightings',
  'recurrence',
  'confirmation',
  'routedTo',
  'body',
] as const satisfies readonly (keyof ExportedReport)[];

export type ExtendedReport = Pick<ExportedReport, (typeof EXTENDED_FIELDS)[number]>;

/**
 * The stored fields, and the report's status since as the next members of the same object. Building
 * an object from all columns and serializing it takes several times as long. Slugs, statuses and
 * numbers need no escapes. `answer` are the members of those who may see more about the status.
 */
export function serializeExtended(report: ExtendedReport, answer = ''): string {
  const { body, service, sequence, status, statusReason } = report;
  const { updatedAt, expiresAt, corroboration, sightings, recurrence, confirmation } = report;
  const reason = statusReason === undefined ? 'null' : JSON.stringify(statusReason);
  return `${body.slice(0, -1)},"service":"${service}","sequence":${sequence},"status":"${status}","statusReason":${reason}${answer},"updatedAt":"${updatedAt.slice(0, SECONDS)}Z","expiresAt":"${expiresAt.slice(0, SECONDS)}Z","corroboration":${corroboration},"sightings":${sightings},"recurrence":${recurrence},"confirmation":"${confirmation}${serializeRoute(report)}`;
}

function serializeRoute({ service, routedTo }: ExtendedReport): string {
  if (routedTo === undefined) return EXTENSION.withoutRoute;
  const before = routedTo === service ? EXTENSION.beforeOwnRoute : EXTENSION.beforeOtherRoute;
  return `${before}${routedTo}${EXTENSION.afterRoute}`;
}
