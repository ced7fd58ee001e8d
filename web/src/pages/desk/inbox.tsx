import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { Button } from '../../components/button.tsx';
import { useScreenWidth } from '../../components/screen-width.ts';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { NewPill } from '../feed/new-pill.tsx';
import { loadedRows } from '../feed/paged-rows.ts';
import { useReports } from '../feed/reports.ts';
import styles from './inbox.module.css';
import { InboxDetail } from './inbox-detail.tsx';
import { InboxList } from './inbox-list.tsx';
import type { PendingActions } from './pending-actions.ts';
import { type InboxState, useInbox } from './use-inbox.ts';

const StatusDialog = lazy(() => import('../report/status-dialog.tsx'));
const route = getRouteApi('/signed-in/desk/$service');

/** The pages of an inbox kept in memory: more than anybody reads before acting. */
const KEPT_PAGES = 40;

interface InboxFilter {
  readonly status: string;
  /** `undefined` for all reports. */
  readonly confirmation: string | undefined;
}

interface Props {
  readonly service: string;
  readonly filter: InboxFilter;
  readonly actions: PendingActions;
}

export function Inbox({ service, filter, actions }: Props) {
  const { status } = filter;
  const { list, rows, isLoaded, hasMore, error, arrived } = useReports(service, filter, KEPT_PAGES);
  const listed = useMemo(() => loadedRows(rows), [rows]);
  const inbox = useInbox({ actions, listed, status });
  if (!isLoaded)
    return error === null ? (
      <Skeleton lines={12} label="Loading the inbox" />
    ) : (
      <Failure error={error} onRetry={() => list.retry()} />
    );
  return (
    <div className={styles['inboxFrame']}>
      <NewPill arrived={arrived} onShow={() => void list.reload()} />
      {error !== null && <Failure error={error} onRetry={() => list.retry()} />}
      {inbox.current === undefined ? (
        <NothingLeft filter={filter} hasMore={hasMore} />
      ) : (
        <Panes inbox={inbox} hasMore={hasMore} onShown={(first, last) => list.show(first, last)} />
      )}
      {inbox.isRejecting && (
        <Suspense fallback={null}>
          <StatusDialog
            status="rejected"
            reports={inbox.chosen.length}
            onSet={inbox.act}
            onClose={() => inbox.setRejecting(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

interface PanesProps {
  readonly inbox: InboxState;
  readonly hasMore: boolean;
  readonly onShown: (first: number, last: number) => void;
}

/** Left the list, right the evidence; on narrow screens one or the other. */
function Panes({ inbox, hasMore, onShown }: PanesProps) {
  const navigate = route.useNavigate();
  const isOpened = route.useSearch().report !== undefined;
  const isNarrow = useScreenWidth() === 'narrow';
  const open = (index: number) => {
    inbox.open(index);
    const { id } = inbox.reports[index] ?? {};
    if (isNarrow) void navigate({ search: (search) => ({ ...search, report: id }) });
  };
  const close = () => void navigate({ search: (search) => ({ ...search, report: undefined }) });
  const { current } = inbox;
  return (
    <div className={styles['inbox']}>
      {(!isNarrow || !isOpened) && (
        <InboxList inbox={inbox} hasMore={hasMore} onOpen={open} onShown={onShown} />
      )}
      {current !== undefined && (!isNarrow || isOpened) && (
        <InboxDetail report={current} inbox={inbox} onBack={isNarrow ? close : undefined} />
      )}
    </div>
  );
}

interface NothingProps {
  readonly filter: InboxFilter;
  readonly hasMore: boolean;
}

function NothingLeft({ filter: { status, confirmation }, hasMore }: NothingProps) {
  const navigate = route.useNavigate();
  if (hasMore) return <Skeleton lines={6} label="Loading more reports" />;
  if (confirmation !== undefined) {
    const showAll = () =>
      void navigate({ search: (search) => ({ ...search, confirmation: undefined }) });
    return (
      <Empty
        title={`Nothing is ${status} and ${confirmation}`}
        action={<Button onClick={showAll}>Show all {status} reports</Button>}
      />
    );
  }
  return (
    <Empty title={status === 'open' ? 'Nothing is open' : `Nothing is ${status}`}>
      <p>
        {status === 'open'
          ? 'Every report is answered. New ones appear here as researchers send them.'
          : 'Reports that get this status appear here.'}
      </p>
    </Empty>
  );
}
