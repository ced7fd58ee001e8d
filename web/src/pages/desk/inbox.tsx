import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { SetStatusBody } from '../../../../src/client/wire.ts';
import type { StatusCounts } from '../../api/status-counts.ts';
import { Button } from '../../components/button.tsx';
import { useScreenWidth } from '../../components/screen-width.ts';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import type { FeedFilter } from '../feed/filters.ts';
import { NewPill } from '../feed/new-pill.tsx';
import { loadedRows } from '../feed/paged-rows.ts';
import { useReports } from '../feed/reports.ts';
import { isNarrowed } from './desk-filter.ts';
import styles from './inbox.module.css';
import { InboxDetail } from './inbox-detail.tsx';
import { InboxList } from './inbox-list.tsx';
import { until, useMatching, useSetAll } from './matching.ts';
import type { PendingActions } from './pending-actions.ts';
import { type InboxState, useInbox } from './use-inbox.ts';

const Question = lazy(() => import('../../components/overlays/question.tsx'));
const StatusDialog = lazy(() => import('../report/status-dialog.tsx'));
const route = getRouteApi('/signed-in/desk/$service');

/** The pages of an inbox kept in memory: more than anybody reads before acting. */
const KEPT_PAGES = 40;

interface Props {
  readonly service: string;
  /** With a status. */
  readonly filter: FeedFilter & { readonly status: string };
  readonly actions: PendingActions;
  /** How many reports have which status; `undefined` until it is known. */
  readonly counts: StatusCounts | undefined;
}

export function Inbox({ service, filter, actions, counts }: Props) {
  const { status } = filter;
  const { list, rows, isLoaded, hasMore, error, arrived } = useReports(service, filter, KEPT_PAGES);
  const listed = useMemo(() => loadedRows(rows), [rows]);
  const [asked, setAsked] = useState<SetStatusBody>();
  const inbox = useInbox({ actions, listed, status, onAll: setAsked });
  const matching = useMatching(service, filter, { counts, hasMore });
  const setAll = useSetAll(service, { ...filter, ...until(listed) });
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
        <Panes
          inbox={inbox}
          hasMore={hasMore}
          matching={matching}
          onShown={(first, last) =>
            list.show(reportsBefore(inbox, first), reportsBefore(inbox, last + 1) - 1)
          }
        />
      )}
      {inbox.isRejecting && (
        <Suspense fallback={null}>
          <StatusDialog
            status="rejected"
            reports={inbox.chosen.length}
            inWords={inbox.isAllMatching ? `${matching} reports` : undefined}
            onSet={inbox.act}
            onClose={() => inbox.setRejecting(false)}
          />
        </Suspense>
      )}
      {asked !== undefined && (
        <Suspense fallback={null}>
          <Question
            title={`Set ${matching} reports to ${asked.status}?`}
            text="They are changed at once, those that are not loaded included. This cannot be undone in one step."
            action={`Set ${matching} to ${asked.status}`}
            onConfirm={() => {
              setAsked(undefined);
              inbox.clear();
              void setAll(asked).then(() => list.reload());
            }}
            onClose={() => setAsked(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The number of reports before a row: a row may stand for several. */
function reportsBefore({ rows }: InboxState, row: number): number {
  return rows.slice(0, row).reduce((sum, { reports }) => sum + reports.length, 0);
}

interface PanesProps {
  readonly inbox: InboxState;
  readonly hasMore: boolean;
  readonly matching: string | undefined;
  readonly onShown: (first: number, last: number) => void;
}

/** Left the list, right the evidence; on narrow screens one or the other. */
function Panes({ inbox, hasMore, matching, onShown }: PanesProps) {
  const navigate = route.useNavigate();
  const isOpened = route.useSearch().report !== undefined;
  const isNarrow = useScreenWidth() === 'narrow';
  const open = (index: number) => {
    inbox.open(index);
    const { id } = inbox.rows[index]?.report ?? {};
    if (isNarrow) void navigate({ search: (search) => ({ ...search, report: id }) });
  };
  const close = () => void navigate({ search: (search) => ({ ...search, report: undefined }) });
  const { current } = inbox;
  return (
    <div className={styles['inbox']}>
      {(!isNarrow || !isOpened) && (
        <InboxList
          inbox={inbox}
          hasMore={hasMore}
          matching={matching}
          onOpen={open}
          onShown={onShown}
        />
      )}
      {current !== undefined && (!isNarrow || isOpened) && (
        <InboxDetail
          report={current}
          inbox={inbox}
          matching={matching}
          onBack={isNarrow ? close : undefined}
        />
      )}
    </div>
  );
}

interface NothingProps {
  readonly filter: Props['filter'];
  readonly hasMore: boolean;
}

function NothingLeft({ filter, hasMore }: NothingProps) {
  const navigate = route.useNavigate();
  const { status } = filter;
  if (hasMore) return <Skeleton lines={6} label="Loading more reports" />;
  if (isNarrowed(filter)) {
    const showAll = () =>
      void navigate({ search: { status: status === 'open' ? undefined : status } });
    return (
      <Empty
        title={`Nothing that is ${status} matches the filters`}
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
