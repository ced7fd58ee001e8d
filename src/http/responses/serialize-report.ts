import type { Caller } from '../../domain/accounts/caller.ts';
import {
  authorOf,
  type Change,
  type FeedChange,
  maySeeAuthor,
  type SerializedChange,
} from '../../domain/reports/change.ts';
import {
  SECONDS,
  serializeExtended as serializeForReader,
} from '../../domain/reports/extended-report.ts';
import type { SerializedReport } from '../../domain/reports/report.ts';

/** The text of `presentExtended`: that of the database, or the stored fields and the status. */
export function serializeExtended(report: SerializedReport | string, viewer?: Caller): string {
  if (typeof report === 'string') return report;
  const { statusNote, statusBy } = report;
  const note = statusNote === undefined ? '' : `,"statusNote":${JSON.stringify(statusNote)}`;
  const by =
    statusBy !== undefined && maySeeAuthor(viewer, report)
      ? `,"statusBy":${JSON.stringify(statusBy)}`
      : '';
  return serializeForReader(report, `${note}${by}`);
}

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
