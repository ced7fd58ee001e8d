import { useMemo, useState } from 'react';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { UNDO_MS } from '../../api/held-actions.ts';
import { useStore } from '../../api/use-store.ts';
import { closeToast, showToast } from '../../components/overlays/toasts.tsx';
import { useKeys } from '../../components/use-keys.ts';
import { count } from '../../text/format.ts';
import type { PendingActions } from './pending-actions.ts';

interface Options {
  readonly actions: PendingActions;
  readonly listed: readonly ExtendedReport[];
  /** The status of the reports of this inbox. */
  readonly status: string;
}

const DONE: Readonly<Record<SetStatusBody['status'], string>> = {
  open: 'open again',
  acknowledged: 'acknowledged',
  actioned: 'acted on',
  rejected: 'rejected',
};

/** The position, the selection and the actions of an inbox, with their keys. */
export function useInbox({ actions, listed, status }: Options) {
  const [position, setPosition] = useState<Position>({ id: '', index: 0 });
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const shown = useStore(actions.shown);
  const reports = useMemo(
    () => inboxOf(listed, { shown, status, currentId: position.id }),
    [listed, shown, status, position.id],
  );
  // A report that has left the inbox is no longer selected.
  const selected = useMemo(() => presentIn(reports, marked), [reports, marked]);
  const index = indexOf(reports, position);
  const current = reports[index];
  const chosen = chosenReports(reports, selected, current);
  const open = (at: number) => {
    const next = Math.max(0, Math.min(at, reports.length - 1));
    setPosition({ id: reports[next]?.id ?? '', index: next });
  };
  const undo = (): void => {
    const undone = actions.undo();
    const [first] = undone?.reports ?? [];
    if (first === undefined) return;
    setPosition({ id: first.id, index });
    closeLastToast();
    showToast({ text: 'Undone.' });
  };
  const act = (body: SetStatusBody): void => {
    setRejecting(false);
    setMarked(new Set());
    // The next report takes the row of one that leaves the inbox.
    const above = reports.slice(0, index).filter(({ id }) => selected.has(id)).length;
    if (body.status !== status) setPosition({ id: '', index: index - above });
    if (chosen.length === 0) return;
    actions.add({ reports: chosen, body });
    offerUndo(`${count(chosen.length, 'report')} ${DONE[body.status]}.`, undo);
  };
  const toggle = (id: string) => setMarked((earlier) => toggled(earlier, id));
  const toggleAll = () =>
    setMarked(selected.size > 0 ? new Set() : new Set(reports.map(({ id }) => id)));
  useKeys({
    j: () => open(index + 1),
    k: () => open(index - 1),
    a: () => act({ status: 'acknowledged' }),
    t: () => act({ status: 'actioned', reason: 'taken_down' }),
    r: () => chosen.length > 0 && setRejecting(true),
    x: () => current !== undefined && toggle(current.id),
    u: undo,
  });
  return {
    reports,
    current,
    index,
    chosen,
    selected,
    isRejecting,
    setRejecting,
    act,
    toggle,
    toggleAll,
    open,
  };
}

export type InboxState = ReturnType<typeof useInbox>;

/** The current report, and the row to fall back to when it has left the inbox. */
interface Position {
  readonly id: string;
  readonly index: number;
}

function indexOf(reports: readonly ExtendedReport[], { id, index }: Position): number {
  const found = id === '' ? -1 : reports.findIndex((report) => report.id === id);
  return found >= 0 ? found : Math.max(0, Math.min(index, reports.length - 1));
}

interface View {
  readonly shown: PendingActions['shown']['value'];
  readonly status: string;
  readonly currentId: string;
}

/**
 * The reports with this status, pending actions included. The current one stays when somebody else
 * has changed it: it must not vanish under the reader.
 */
function inboxOf(
  listed: readonly ExtendedReport[],
  { shown, status, currentId }: View,
): readonly ExtendedReport[] {
  return listed.flatMap((report) => {
    const pending = shown.get(report.id);
    if (pending !== undefined) return pending.status === status ? { ...report, ...pending } : [];
    return report.status === status || report.id === currentId ? report : [];
  });
}

function presentIn(
  reports: readonly ExtendedReport[],
  marked: ReadonlySet<string>,
): ReadonlySet<string> {
  if (marked.size === 0) return marked;
  return new Set(reports.map(({ id }) => id).filter((id) => marked.has(id)));
}

/** The selected reports, or else the current one. */
function chosenReports(
  reports: readonly ExtendedReport[],
  selected: ReadonlySet<string>,
  current: ExtendedReport | undefined,
): readonly ExtendedReport[] {
  if (selected.size > 0) return reports.filter(({ id }) => selected.has(id));
  return current === undefined ? [] : [current];
}

/** The message about the last action in any inbox. */
let lastToast: number | undefined;

function closeLastToast(): void {
  if (lastToast !== undefined) closeToast(lastToast);
  lastToast = undefined;
}

/** Only the last action can be undone, so only its message offers it. */
function offerUndo(text: string, undo: () => void): void {
  closeLastToast();
  lastToast = showToast({ text, action: { label: 'Undo (u)', run: undo } }, UNDO_MS);
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
