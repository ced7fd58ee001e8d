import type { Caller } from '../../domain/accounts/caller.ts';
import type { KnownLists } from '../../domain/lists/known-lists.ts';
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
  withKnownAs,
} from '../../domain/reports/extended-report.ts';
import type { SerializedReport } from '../../domain/reports/report.ts';

export interface Reader {
  /** Decides whether authors are shown. */
  readonly viewer?: Caller | undefined;
  readonly lists: KnownLists;
}

/** The text of `presentExtended`: that of the database, or the stored fields and the status. */
export function serializeExtended(report: SerializedReport | string, reader: Reader): string {
  const text = typeof report === 'string' ? report : serializeFor(report, reader.viewer);
  return withKnownAs(text, reader.lists.ofReport(subjectsOf(text)));
}

function serializeFor(report: SerializedReport, viewer: Caller | undefined): string {
  const { statusNote, statusBy } = report;
  const note = statusNote === undefined ? '' : `,"statusNote":${JSON.stringify(statusNote)}`;
  const by =
    statusBy !== undefined && maySeeAuthor(viewer, report)
      ? `,"statusBy":${JSON.stringify(statusBy)}`
      : '';
  return serializeForReader(report, `${note}${by}`);
}

const C2_ADDRESS = ',"c2Address":"';
const FILE_HASH = ',"file256Hash":"';

/**
 * The host and the file in the text of a report. Parsing the text would take several times as long.
 * The text before them has no such member: a quote in a value is escaped.
 */
function subjectsOf(text: string) {
  const c2 = textAfter(text, C2_ADDRESS);
  const host = c2.slice(0, c2.lastIndexOf(':'));
  return {
    c2: { host: host.startsWith('[') ? host.slice(1, -1) : host },
    sha256: textAfter(text, FILE_HASH),
  };
}

function textAfter(text: string, member: string): string {
  const start = text.indexOf(member) + member.length;
  return text.slice(start, text.indexOf('"', start));
}

/** A change of a feed, as polling and streams return it. */
export function serializeChange(change: FeedChange, reader: Reader): string {
  return `{${membersOf(change, reader)}`;
}

/** A change in the combined log of all feeds. */
export function serializeChangeOfAll(change: FeedChange, reader: Reader): string {
  return `{"service":"${change.service}",${membersOf(change, reader)}`;
}

function membersOf(change: FeedChange, reader: Reader): string {
  if ('text' in change) return membersOfSerialized(change, reader);
  const { sequence, type, reportId, report } = change;
  // The report may have been deleted since; a later change says so.
  const current = report === undefined ? '' : `,"report":${serializeExtended(report, reader)}`;
  const deletion = type === 'deleted' ? deletionOf(change, reader.viewer) : '';
  return `"sequence":${sequence},"type":"${type}","id":${JSON.stringify(reportId)}${current}${deletion}}`;
}

/** The id is the first member of a report, a UUID. */
const ID_START = '{"id":'.length;
const ID_END = ID_START + '"00000000-0000-0000-0000-000000000000"'.length;

function membersOfSerialized({ sequence, type, text }: SerializedChange, reader: Reader): string {
  const id = text.slice(ID_START, ID_END);
  return `"sequence":${sequence},"type":"${type}","id":${id},"report":${serializeExtended(text, reader)}}`;
}

function deletionOf(change: Change, viewer: Caller | undefined): string {
  const author = authorOf(change, viewer);
  const by = author === undefined ? '' : `,"deletedBy":${JSON.stringify(author)}`;
  return `,"deletedAt":"${change.at.toISOString().slice(0, SECONDS)}Z"${by}`;
}
