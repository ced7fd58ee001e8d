import type { FollowedChange } from '../../../../src/client/follow.ts';
import type { ExtendedReport } from '../../../../src/client/wire.ts';

/** The newest reports that are shown, and those that wait to be shown, each newest first. */
export interface NewestList {
  readonly shown: readonly ExtendedReport[];
  readonly arrived: readonly ExtendedReport[];
}

export const MAX_SHOWN = 50;

/** Merges the newest reports of the server. Shown reports keep their order; new ones wait. */
export function reconcile(
  list: NewestList | undefined,
  fetched: readonly ExtendedReport[],
): NewestList {
  const byId = new Map(fetched.map((report) => [report.id, report]));
  const shown = (list?.shown ?? []).filter(({ id }) => byId.has(id));
  // None of the shown reports is among the newest, so the list is replaced.
  if (shown.length === 0) return { shown: fetched, arrived: [] };
  const known = new Set(shown.map(({ id }) => id));
  const oldest = fetched.findLastIndex(({ id }) => known.has(id));
  return {
    shown: [...shown.map((report) => byId.get(report.id) ?? report), ...fetched.slice(oldest + 1)],
    arrived: fetched.slice(0, oldest).filter(({ id }) => !known.has(id)),
  };
}

/** Changes show at once; new reports wait, so that nothing moves under the reader. */
export function applyChanges(list: NewestList, changes: readonly FollowedChange[]): NewestList {
  return changes.reduce(applyOne, list);
}

function applyOne(list: NewestList, { type, id, report }: FollowedChange): NewestList {
  const { shown, arrived } = list;
  if (type === 'deleted') return { shown: without(shown, id), arrived: without(arrived, id) };
  if (report === undefined) return list;
  const isKnown = [...shown, ...arrived].some((one) => one.id === id);
  if (isKnown) return { shown: replace(shown, report), arrived: replace(arrived, report) };
  // A change of a report that is too old to be shown.
  if (type !== 'created') return list;
  // Nothing is shown that could move.
  if (shown.length === 0) return { shown: [report], arrived };
  return { shown, arrived: [report, ...arrived].slice(0, MAX_SHOWN) };
}

export function showArrived({ shown, arrived }: NewestList): NewestList {
  return { shown: [...arrived, ...shown].slice(0, MAX_SHOWN), arrived: [] };
}

/** Returns the same array if nothing has changed, so that React renders nothing. */
function replace(
  reports: readonly ExtendedReport[],
  report: ExtendedReport,
): readonly ExtendedReport[] {
  const index = reports.findIndex(({ id }) => id === report.id);
  return index < 0 ? reports : reports.with(index, report);
}

function without(reports: readonly ExtendedReport[], id: string): readonly ExtendedReport[] {
  const index = reports.findIndex((one) => one.id === id);
  return index < 0 ? reports : reports.toSpliced(index, 1);
}
