import type { Caller } from '../../domain/accounts/caller.ts';
import {
  authorOf,
  type Change,
  type FeedChange,
  maySeeAuthor,
  type SerializedChange,
} from '../../domain/reports/change.ts';
import type { ReportExtension, SerializedReport } from '../../domain/reports/report.ts';
import type { ExtensionTexts } from '../../ports/store.ts';

/**
 * The text of `presentExtended`: that which is stored; or the stored fields, and the report's
 * status since as the next members of the same object. Building an object from all columns and
 * serializing it takes several times as long.
 */
export function serializeExtended(report: SerializedReport | string, viewer?: Caller): string {
  if (typeof report === 'string') return report;
  const { statusBy } = report;
  const isShown = statusBy !== undefined && maySeeAuthor(viewer, report);
  const by = isShown ? `,"statusBy":${JSON.stringify(statusBy)}` : '';
  return report.body.slice(0, -1) + serializeExtension(report, by);
}

/** The texts between the values that follow the stored fields. */
export const EXTENSION: ExtensionTexts = {
  service: ',"service":"',
  sequence: '","sequence":',
  status: ',"status":"',
  updatedAt: '","statusReason":null,"updatedAt":"',
  expiresAt: 'Z","expiresAt":"',
  corroboration: 'Z","corroboration":',
  sightings: ',"sightings":',
  recurrence: ',"recurrence":',
  end: '}',
};

/**
 * What follows the stored fields, to the end of the object. `by` is the member `statusBy`. Slugs,
 * statuses and numbers need no escapes.
 */
function serializeExtension(report: ReportExtension, by: string): string {
  const { statusReason, statusNote, sequence, status, updatedAt, expiresAt } = report;
  const { corroboration, sightings, recurrence } = report;
  const reason = statusReason === undefined ? 'null' : JSON.stringify(statusReason);
  const note = statusNote === undefined ? '' : `,"statusNote":${JSON.stringify(statusNote)}`;
  return `,"service":"${report.service}","sequence":${sequence},"status":"${status}","statusReason":${reason}${note}${by},"updatedAt":"${updatedAt.slice(0, SECONDS)}Z","expiresAt":"${expiresAt.slice(0, SECONDS)}Z","corroboration":${corroboration},"sightings":${sightings},"recurrence":${recurrence}}`;
}

/** The length of a stored time up to its seconds, as `formatUtc` shows it. */
const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** A change of a feed, as polling and streams return it. */
export function serializeChange(change: FeedChange, viewer?: Caller): string {
  return `{${membersOf(change, viewer)}`;
}

/** A change in the combined log of all feeds. */
export function serializeChangeOfAll(change: FeedChange, viewer?: Caller): string {
  return `{"service":"${change.service}",${membersOf(change, viewer)}`;
}

function membersOf(change: FeedChange, viewer: Caller | undefined): string {
  if ('text' in change) return membersOfSerialized(change);
  const { sequence, type, reportId, report } = change;
  // The report may have been deleted since; a later change says so.
  const current = report === undefined ? '' : `,"report":${serializeExtended(report, viewer)}`;
  const deletion = type === 'deleted' ? deletionOf(change, viewer) : '';
  return `"sequence":${sequence},"type":"${type}","id":${JSON.stringify(reportId)}${current}${deletion}}`;
}

/** The id is the first member of a report, a UUID. */
const ID_START = '{"id":'.length;
const ID_END = ID_START + '"00000000-0000-0000-0000-000000000000"'.length;

function membersOfSerialized({ sequence, type, text }: SerializedChange): string {
  return `"sequence":${sequence},"type":"${type}","id":${text.slice(ID_START, ID_END)},"report":${text}}`;
}

function deletionOf(change: Change, viewer: Caller | undefined): string {
  const author = authorOf(change, viewer);
  const by = author === undefined ? '' : `,"deletedBy":${JSON.stringify(author)}`;
  return `,"deletedAt":"${change.at.toISOString().slice(0, SECONDS)}Z"${by}`;
}
