import type { Caller } from '../accounts/caller.ts';
import type { Report } from './report.ts';

/** One step of a feed. Steps are numbered without gaps, in the order in which they were committed. */
export interface Change {
  readonly service: string;
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly reportId: string;
  readonly at: Date;
  /** As the report stands now; absent where it is gone by now, whatever the step was. */
  readonly report: Report | undefined;
  /** Of a deletion, while its tombstone is kept. Not for every reader. */
  readonly deletion?: Deletion | undefined;
}

export interface Deletion {
  /** The name of the account. */
  readonly by: string;
  /** Whose report it was; `undefined` where that was not kept. */
  readonly reporterId: string | undefined;
}

/** Who reads: one who owns the feed, or whose report it is, is told who acted on it. */
type Viewer = Pick<Caller, 'accountId' | 'services'>;

export function maySeeAuthor(
  viewer: Viewer | undefined,
  { service, reporterId }: { readonly service: string; readonly reporterId: string | undefined },
): boolean {
  if (viewer === undefined) return false;
  return viewer.accountId === reporterId || viewer.services.includes(service);
}

/** The account that acted, where the viewer may know it. */
export function authorOf(change: Change, viewer: Viewer | undefined): string | undefined {
  const { service, report, deletion } = change;
  const reporterId = report?.reporterId ?? deletion?.reporterId;
  const author = deletion?.by ?? report?.statusBy;
  return maySeeAuthor(viewer, { service, reporterId }) ? author : undefined;
}
