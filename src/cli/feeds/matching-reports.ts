import type { RapsheetClient } from '../../client/client.ts';
import type { SetStatusesBody } from '../../client/wire.ts';
import type { ReportFilter } from '../options/filter-options.ts';

type Filter = NonNullable<SetStatusesBody['filter']>;
type Status = NonNullable<Filter['status']>;

/** The reports that an abuse desk has not decided yet. */
const UNDECIDED: readonly Status[] = ['open', 'acknowledged'];

/** The reports of a feed that match a filter, by status: the undecided ones unless it names one. */
export interface Selection {
  readonly service: string;
  readonly filter: ReportFilter;
}

export interface Matching {
  readonly matching: number;
  /** Whether the server stopped counting. */
  readonly isLowerBound: boolean;
  readonly statuses: Readonly<Partial<Record<Status, number>>>;
}

export async function countMatching(
  client: RapsheetClient,
  { service, filter }: Selection,
): Promise<Matching> {
  const counts = await Promise.all(
    statusesOf(filter).map(async (status) => {
      const page = await client.listReports(service, { ...filter, status, count: true, limit: 1 });
      return { status, total: page.total ?? 0, isLowerBound: page.totalIsLowerBound === true };
    }),
  );
  return {
    matching: counts.reduce((sum, { total }) => sum + total, 0),
    isLowerBound: counts.some(({ isLowerBound }) => isLowerBound),
    statuses: Object.fromEntries(counts.map(({ status, total }) => [status, total])),
  };
}

/** `5 reports match: 3 open, 2 acknowledged` */
export function describeMatching({ matching, isLowerBound, statuses }: Matching): string {
  const shares = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
  const number = `${isLowerBound ? 'at least ' : ''}${matching}`;
  return `${number} ${matching === 1 ? 'report matches' : 'reports match'}: ${shares.join(', ')}`;
}

/** Sets the status of all reports of the selection. Returns how many changed. */
export async function setMatching(
  client: RapsheetClient,
  { service, filter }: Selection,
  change: Pick<SetStatusesBody, 'status' | 'reason' | 'note'>,
): Promise<number> {
  let changed = 0;
  // Reports with the new status come first: those that get it by the other call match no more.
  const isNew = (status: Status) => Number(status === change.status);
  for (const status of statusesOf(filter).toSorted((one, other) => isNew(other) - isNew(one))) {
    const selected = { ...filter, status } as Filter;
    changed += (await client.setStatuses(service, { filter: selected, ...change })).changed;
  }
  return changed;
}

function statusesOf({ status }: ReportFilter): readonly Status[] {
  return status === undefined ? UNDECIDED : [status as Status];
}
