import type { Caller } from '../accounts/caller.ts';
import type { SerializedReport } from './report.ts';

/** One change of a feed. The sequence has no gaps and follows the order of commits. */
export interface Change {
  readonly service: string;
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: Date;
  /** The current report; absent if it was deleted since. */
  readonly report: SerializedReport | undefined;
  /** Present if the report was deleted, while its tombstone exists. Not for every reader. */
  readonly deletion?: Deletion | undefined;
}

/** A change of a report whose text is the same for every reader. The text has the other members. */
export interface SerializedChange {
  readonly service: string;
  readonly sequence: number;
  readonly type: Change['type'];
  /** The report as it is sent to any reader. */
  readonly text: string;
}

/** What readers of a feed get. */
export type FeedChange = Change | SerializedChange;

export interface Deletion {
  /** The name of the account that deleted it. */
  readonly by: string;
  /** The account that reported it; `undefined` if the tombstone does not hold it. */
  readonly reporterId: string | undefined;
}

/** A reader. The owner of the feed and the reporter may see who acted on a report. */
type Viewer = Pick<Caller, 'accountId' | 'services'>;

export function maySeeAuthor(
  viewer: Viewer | undefined,
  { service, reporterId }: { readonly service: string; readonly reporterId: string | undefined },
): boolean {
  if (viewer === undefined) return false;
  return viewer.accountId === reporterId || viewer.services.includes(service);
}

/** The account that made the change, if the viewer may see it. */
export function authorOf(change: FeedChange, viewer: Viewer | undefined): string | undefined {
  if ('text' in change) return undefined;
  const { service, report, deletion } = change;
  const reporterId = report?.reporterId ?? deletion?.reporterId;
  const author = deletion?.by ?? report?.statusBy;
  return maySeeAuthor(viewer, { service, reporterId }) ? author : undefined;
}
