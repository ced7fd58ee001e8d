import type { Caller } from '../../domain/accounts/caller.ts';
import { authorOf, type Change, maySeeAuthor } from '../../domain/reports/change.ts';
import type { SerializedReport } from '../../domain/reports/report.ts';
import { formatUtc } from './present.ts';

/**
 * The text of `presentExtended`: the stored fields, and the report's status since as the next
 * members of the same object. Building an object from all columns and serializing it takes several
 * times as long. Slugs, statuses and numbers need no escapes.
 */
export function serializeExtended(report: SerializedReport, viewer?: Caller): string {
  const { body, statusReason, statusNote, statusBy } = report;
  const reason = statusReason === undefined ? 'null' : JSON.stringify(statusReason);
  const note = statusNote === undefined ? '' : `,"statusNote":${JSON.stringify(statusNote)}`;
  const by =
    statusBy !== undefined && maySeeAuthor(viewer, report)
      ? `,"statusBy":${JSON.stringify(statusBy)}`
      : '';
  const { sequence, status, updatedAt, expiresAt, corroboration, sightings, recurrence } = report;
  return `${body.slice(0, -1)},"service":"${report.service}","sequence":${sequence},"status":"${status}","statusReason":${reason}${note}${by},"updatedAt":"${updatedAt.slice(0, SECONDS)}Z","expiresAt":"${expiresAt.slice(0, SECONDS)}Z","corroboration":${corroboration},"sightings":${sightings},"recurrence":${recurrence}}`;
}

/** The length of a stored time up to its seconds, as `formatUtc` shows it. */
const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** A change of a feed, as polling and streams return it. */
export function serializeChange(change: Change, viewer?: Caller): string {
  return `{${membersOf(change, viewer)}`;
}

/** A change in the combined log of all feeds. */
export function serializeChangeOfAll(change: Change, viewer?: Caller): string {
  return `{"service":"${change.service}",${membersOf(change, viewer)}`;
}

function membersOf(change: Change, viewer: Caller | undefined): string {
  const { sequence, type, reportId, report } = change;
  // The report may have been deleted since; a later change says so.
  const current = report === undefined ? '' : `,"report":${serializeExtended(report, viewer)}`;
  const deletion = type === 'deleted' ? deletionOf(change, viewer) : '';
  return `"sequence":${sequence},"type":"${type}","id":${JSON.stringify(reportId)}${current}${deletion}}`;
}

function deletionOf(change: Change, viewer: Caller | undefined): string {
  const author = authorOf(change, viewer);
  const by = author === undefined ? '' : `,"deletedBy":${JSON.stringify(author)}`;
  return `,"deletedAt":"${formatUtc(change.at)}"${by}`;
}
