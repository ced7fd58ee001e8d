import { useQueryClient } from '@tanstack/react-query';
import {
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ExtendedReport, SetStatusBody } from '../../../../src/client/wire.ts';
import { client } from '../../api/client.ts';
import { openCountQuery } from '../../api/desk.ts';
import { useLive } from '../../api/live/live.ts';
import { isTyping } from '../../components/is-typing.ts';
import { Empty, explain, Failure, Skeleton } from '../../components/states.tsx';
import { closeToast, showToast } from '../../components/toasts.tsx';
import { count } from '../../text/format.ts';
import { NewPill } from '../feed/new-pill.tsx';
import { loadedRows } from '../feed/report-list.ts';
import { useReports } from '../feed/reports.ts';
import styles from './desk-page.module.css';
import { InboxDetail } from './inbox-detail.tsx';
import { InboxList } from './inbox-list.tsx';
import { PendingActions } from './pending-actions.ts';

const RejectDialog = lazy(() => import('./reject-dialog.tsx'));

/** All reports of an inbox stay in memory; beyond these pages one acts before one reads on. */
const KEPT_PAGES = 40;
/** The time to undo an action before it is sent. */
const UNDO_MS = 10_000;

interface Props {
  readonly service: string;
  readonly status: string;
}

export function Inbox({ service, status }: Props) {
  const { list, rows, isLoaded, error, arrived } = useReports(service, { status }, KEPT_PAGES);
  const listed = useMemo(() => loadedRows(rows), [rows]);
  const inbox = useInbox(service, listed);
  const { reports, current, chosen, act } = inbox;
  if (!isLoaded)
    return error === null ? (
      <Skeleton lines={12} label="Loading the inbox" />
    ) : (
      <Failure error={error} onRetry={() => list.retry()} />
    );
  return (
    <>
      <NewPill arrived={arrived} onShow={() => void list.reload()} />
      {current === undefined ? (
        <Empty title={status === 'open' ? 'Nothing is open' : `Nothing is ${status}`}>
          <p>New reports appear here as researchers send them.</p>
        </Empty>
      ) : (
        <div className={styles['inbox']}>
          <InboxList
            reports={reports}
            currentId={current.id}
            selected={inbox.selected}
            onOpen={inbox.open}
            onToggle={inbox.toggle}
            onShown={(first, last) => list.show(first, last)}
          />
          <InboxDetail
            report={current}
            chosen={chosen.length}
            onAct={act}
            onReject={inbox.askReason}
          />
        </div>
      )}
      {inbox.isRejecting && (
        <Suspense fallback={null}>
          <RejectDialog reports={chosen.length} onReject={act} onClose={inbox.cancelReject} />
        </Suspense>
      )}
    </>
  );
}

/** The position, the selection and the actions of an inbox, with their keys. */
function useInbox(service: string, listed: readonly ExtendedReport[]) {
  const actions = useActions(service);
  const shown = useSyncExternalStore(actions.subscribe, () => actions.shown);
  const [index, setIndex] = useState(0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const lastToast = useRef<number>(undefined);
  const reports = listed.map((report) => ({ ...report, ...shown.get(report.id) }));
  const current = reports[Math.min(index, reports.length - 1)];
  const chosen = chosenReports(listed, selected, current?.id);
  const act = (body: SetStatusBody) => {
    setRejecting(false);
    if (chosen.length === 0) return;
    actions.add({ reports: chosen, body });
    const text = `${count(chosen.length, 'report')} ${body.status}.`;
    lastToast.current = showToast(
      { text, action: { label: 'Undo (u)', run: () => void actions.undo() } },
      UNDO_MS,
    );
    setSelected(new Set());
    if (selected.size === 0) setIndex((at) => Math.min(at + 1, reports.length - 1));
  };
  const undo = () => {
    if (actions.undo() === undefined) return;
    if (lastToast.current !== undefined) closeToast(lastToast.current);
    showToast({ text: 'Undone.' });
  };
  const toggle = (id: string) => setSelected((earlier) => toggled(earlier, id));
  useKeys({
    j: () => setIndex((at) => Math.min(at + 1, reports.length - 1)),
    k: () => setIndex((at) => Math.max(0, at - 1)),
    a: () => act({ status: 'acknowledged' }),
    t: () => act({ status: 'actioned', reason: 'taken_down' }),
    r: () => chosen.length > 0 && setRejecting(true),
    x: () => current !== undefined && toggle(current.id),
    u: undo,
  });
  const askReason = () => setRejecting(true);
  const cancelReject = () => setRejecting(false);
  return {
    reports,
    current,
    chosen,
    selected,
    isRejecting,
    act,
    toggle,
    open: setIndex,
    askReason,
    cancelReject,
  };
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The selected reports, or else the current one. */
function chosenReports(
  reports: readonly ExtendedReport[],
  selected: ReadonlySet<string>,
  currentId: string | undefined,
): readonly ExtendedReport[] {
  if (selected.size > 0) return reports.filter(({ id }) => selected.has(id));
  return reports.filter(({ id }) => id === currentId);
}

function useActions(service: string): PendingActions {
  const cache = useQueryClient();
  const [actions] = useState(
    () =>
      new PendingActions({
        waitMs: UNDO_MS,
        send: async (ids, body) => {
          const [only, ...others] = ids;
          if (only !== undefined && others.length === 0)
            await client.setStatus(service, only, body);
          else await client.setStatuses(service, { ids, ...body });
          await cache.invalidateQueries({ queryKey: openCountQuery(service).queryKey });
        },
        onFailure: (error, { reports }) =>
          showToast({
            text: `${count(reports.length, 'report')} not changed: ${explain(error).text}`,
            isError: true,
          }),
      }),
  );
  useLive((event) => {
    if (event.kind === 'change' && event.change.service === service)
      actions.settle(event.change.id);
  });
  useEffect(() => {
    const flush = () => actions.flush();
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      actions.flush();
    };
  }, [actions]);
  return actions;
}

function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const run = useEffectEvent((key: string) => keys[key]?.());
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      run(event.key);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
