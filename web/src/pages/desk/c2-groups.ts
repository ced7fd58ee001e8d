import type { ExtendedReport } from '../../../../src/client/wire.ts';

/** A row of the inbox: a C2 with its reports, or one of the reports of an opened C2. */
export interface InboxRow {
  /** The newest report of the row. */
  readonly report: ExtendedReport;
  /** Those that an action on the row changes. */
  readonly reports: readonly ExtendedReport[];
  /** The number of reports of the C2 in the list. */
  readonly groupSize: number;
  /** Whether it stands below its C2. */
  readonly isMember: boolean;
  /** Whether the reports of the C2 follow in rows of their own. */
  readonly isOpened: boolean;
}

/** One row for each C2, in the order of its newest report; opened ones show all their reports. */
export function rowsOf(
  reports: readonly ExtendedReport[],
  opened: ReadonlySet<string>,
): readonly InboxRow[] {
  const groups = Map.groupBy(reports, ({ c2Address }) => c2Address);
  return [...groups.values()].flatMap((group) => rowsOfGroup(group, opened));
}

function rowsOfGroup(
  group: readonly ExtendedReport[],
  opened: ReadonlySet<string>,
): readonly InboxRow[] {
  const [report, ...others] = group;
  if (report === undefined) return [];
  const groupSize = group.length;
  const isOpened = groupSize > 1 && opened.has(report.c2Address);
  const head = { report, groupSize, isMember: false, isOpened };
  if (!isOpened) return [{ ...head, reports: group }];
  return [
    { ...head, reports: [report] },
    ...others.map((one) => ({
      report: one,
      reports: [one],
      groupSize,
      isMember: true,
      isOpened: false,
    })),
  ];
}
