import { useMemo, useState } from 'react';
import type { ExtendedReport } from '../../../../src/client/wire.ts';

/** The selected reports of an inbox: some that are loaded, or all that match its filter. */
export function useSelection(reports: readonly ExtendedReport[]) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isAllMatching, setAllMatching] = useState(false);
  // A report that has left the inbox is no longer selected.
  const selected = useMemo(() => presentIn(reports, marked), [reports, marked]);
  const clear = () => {
    setMarked(new Set());
    setAllMatching(false);
  };
  const toggle = (ids: readonly string[]) => {
    setAllMatching(false);
    setMarked((earlier) => toggled(earlier, ids));
  };
  const toggleAll = () => {
    setAllMatching(false);
    setMarked(selected.size > 0 ? new Set() : new Set(reports.map(({ id }) => id)));
  };
  return { selected, isAllMatching, setAllMatching, clear, toggle, toggleAll };
}

function presentIn(
  reports: readonly ExtendedReport[],
  marked: ReadonlySet<string>,
): ReadonlySet<string> {
  if (marked.size === 0) return marked;
  return new Set(reports.map(({ id }) => id).filter((id) => marked.has(id)));
}

/** Removes all of them if the set has them, else adds them. */
export function toggled(set: ReadonlySet<string>, values: readonly string[]): ReadonlySet<string> {
  const next = new Set(set);
  const hasAll = values.every((value) => next.has(value));
  for (const value of values)
    if (hasAll) next.delete(value);
    else next.add(value);
  return next;
}
