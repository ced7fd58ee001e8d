import type { Caller } from '../../domain/accounts/caller.ts';
import {
  authorOf,
  type Change,
  type FeedChange,
  maySeeAuthor,
  type SerializedChange,
} from '../../domain/reports/change.ts';
import type { SerializedReport } from '../../domain/reports/report.ts';
import type { ExtensionTexts } from '../../ports/store.ts';

/**
 * The text of `presentExtended`: that of the database; or the stored fields, and the report's
 * status since as the next members of the same object. Building an object from all columns and
 * serializing it takes several times as long. Slugs, statuses and numbers need no escapes.
 */
export function serializeExtended(report: SerializedReport | string, viewer?: Caller): string {
  if (typeof report === 'string') return report;
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

/** With these the database composes the same text, of a report on which no desk has acted. */
export const EXTENSION: ExtensionTexts = {
  beforeService: ',"service":"',
  beforeSequence: '","sequence":',
  beforeStatus: ',"status":"',
  beforeUpdatedAt: '","statusReason":null,"updatedAt":"',
  beforeExpiresAt: 'Z","expiresAt":"',
  beforeCorroboration: 'Z","corroboration":',
  beforeSightings: ',"sightings":',
  beforeRecurrence: ',"recurrence":',
  afterRecurrence: '}',
};

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
