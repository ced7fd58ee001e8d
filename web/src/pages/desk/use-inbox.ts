import { useMemo, useState } from 'react';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { UNDO_MS } from '../../api/held-actions.ts';
import { useStore } from '../../api/use-store.ts';
import { closeToast, showToast } from '../../components/overlays/toasts.tsx';
import { useKeys } from '../../components/use-keys.ts';
import { count } from '../../text/format.ts';
import { type InboxRow, rowsOf } from './c2-groups.ts';
import type { PendingActions } from './pending-actions.ts';
import { toggled, useSelection } from './selection.ts';

interface Options {
  readonly actions: PendingActions;
  readonly listed: readonly ExtendedReport[];
  /** The status of the reports of this inbox. */
  readonly status: string;
  /** Sets the status of all reports that match the filter of the inbox. */
  readonly onAll: (body: SetStatusBody) => void;
}

const DONE: Readonly<Record<SetStatusBody['status'], string>> = {
  open: 'open again',
  acknowledged: 'acknowledged',
  actioned: 'acted on',
  rejected: 'rejected',
};

/** The position, the selection and the actions of an inbox, with their keys. */
export function useInbox({ actions, listed, status, onAll }: Options) {
  const [position, setPosition] = useState<Position>({ id: '', index: 0 });
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const shown = useStore(actions.shown);
  const reports = useMemo(
    () => inboxOf(listed, { shown, status, currentId: position.id }),
    [listed, shown, status, position.id],
  );
  const selection = useSelection(reports);
  const { selected, toggle } = selection;
  const rows = useMemo(() => rowsOf(reports, opened), [reports, opened]);
  const index = indexOf(rows, position);
  const row = rows[index];
  const current = row?.report;
  const chosen =
    selected.size > 0 ? reports.filter(({ id }) => selected.has(id)) : (row?.reports ?? []);
  const open = (at: number) => {
    const next = Math.max(0, Math.min(at, rows.length - 1));
    setPosition({ id: rows[next]?.report.id ?? '', index: next });
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
    if (selection.isAllMatching) {
      onAll(body);
      return;
    }
    selection.clear();
    // The next row takes the place of one that leaves the inbox.
    const above = rows.slice(0, index).filter((one) => isWithin(one, selected)).length;
    if (body.status !== status) setPosition({ id: '', index: index - above });
    if (chosen.length === 0) return;
    actions.add({ reports: chosen, body });
    offerUndo(`${count(chosen.length, 'report')} ${DONE[body.status]}.`, undo);
  };
  const toggleGroup = (c2: string) => setOpened((earlier) => toggled(earlier, [c2]));
  useKeys({
    j: () => open(index + 1),
    k: () => open(index - 1),
    a: () => act({ status: 'acknowledged' }),
    t: () => act({ status: 'actioned', reason: 'taken_down' }),
    r: () => chosen.length > 0 && setRejecting(true),
    x: () => row !== undefined && toggle(row.reports.map(({ id }) => id)),
    o: () => row !== undefined && row.groupSize > 1 && toggleGroup(row.report.c2Address),
    u: undo,
  });
  return {
    reports,
    rows,
    current,
    index,
    chosen,
    ...selection,
    isRejecting,
    setRejecting,
    act,
    toggleGroup,
    open,
  };
}

export type InboxState = ReturnType<typeof useInbox>;

/** The current report, and the row to fall back to when it has left the inbox. */
interface Position {
  readonly id: string;
  readonly index: number;
}

/** A report of a closed C2 is found in the row of the C2. */
function indexOf(rows: readonly InboxRow[], { id, index }: Position): number {
  const isAt = (row: InboxRow) => row.reports.some((report) => report.id === id);
  const found = id === '' ? -1 : rows.findIndex(isAt);
  return found >= 0 ? found : Math.max(0, Math.min(index, rows.length - 1));
}

function isWithin({ reports }: InboxRow, ids: ReadonlySet<string>): boolean {
  return reports.every(({ id }) => ids.has(id));
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
