import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import { lazy, Suspense, useCallback, useRef, useState } from 'react';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { serviceQuery } from '../../api/services.ts';
import { isResearcher, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { NoSuchService } from '../../components/no-such-service.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { UNCLAIMED, UNCLAIMED_MEANING } from '../../text/unclaimed.ts';
import { visible } from '../../text/visible.ts';
import styles from './feed-page.module.css';
import { FeedPlots } from './feed-plots.tsx';
import { FilterBar } from './filter-bar.tsx';
import { entriesOf, type FeedFilter, filterFromSearch } from './filters.ts';
import { NewPill } from './new-pill.tsx';
import { FEED_COLUMNS, NarrowReport, pageOf } from './report-columns.tsx';
import { type Reports, useReports } from './reports.ts';

const UseFeed = lazy(() => import('./use/use-feed.tsx'));
const route = getRouteApi('/signed-in/feeds/$service');

export function FeedPage() {
  const { service } = route.useParams();
  const { data, isSuccess } = useQuery(serviceQuery(service));
  if (isSuccess && data === undefined)
    return (
      <Page title="Feed">
        <NoSuchService service={service}>
          It may have been misspelled: names are lower-case and matched exactly.
        </NoSuchService>
      </Page>
    );
  return <Feed service={service} name={data === undefined ? undefined : visible(data.name)} />;
}

interface FeedProps {
  readonly service: string;
  /** `undefined` until it is loaded. */
  readonly name: string | undefined;
}

function Feed({ service, name }: FeedProps) {
  const navigate = route.useNavigate();
  const filter = filterFromSearch(route.useSearch());
  const reports = useReports(service, filter);
  const [isUsing, setUsing] = useState(false);
  const change = (search: FeedFilter) => void navigate({ search, resetScroll: false });
  return (
    <Page
      title={`Feed ${service}`}
      head={<Head service={service} name={name} />}
      actions={<Actions service={service} isUsing={isUsing} onUse={() => setUsing(!isUsing)} />}
    >
      {isUsing && (
        <Suspense fallback={<Skeleton lines={4} />}>
          <UseFeed service={service} filter={filter} onClose={() => setUsing(false)} />
        </Suspense>
      )}
      <FeedPlots service={service} filter={filter} onChange={change} />
      <FilterBar filter={filter} onChange={change} />
      <List
        reports={reports}
        isFiltered={entriesOf(filter).length > 0}
        service={service}
        onClear={() => change({})}
      />
    </Page>
  );
}

function Head({ service, name }: FeedProps) {
  return (
    <div className={styles['title']}>
      <h1>{name ?? service}</h1>
      {name !== undefined && <code>{service}</code>}
      {service === UNCLAIMED && <p>{UNCLAIMED_MEANING}</p>}
    </div>
  );
}

interface ActionsProps {
  readonly service: string;
  readonly isUsing: boolean;
  readonly onUse: () => void;
}

function Actions({ service, isUsing, onUse }: ActionsProps) {
  const me = useMe();
  return (
    <>
      {me.services.some(({ slug }) => slug === service) && (
        <LinkButton to="/desk/$service" params={{ service }}>
          Desk
        </LinkButton>
      )}
      <LinkButton to="/feeds/$service/scorecard" params={{ service }}>
        Scorecard
      </LinkButton>
      <Button aria-expanded={isUsing} onClick={onUse}>
        <Plug aria-hidden /> Use this feed
      </Button>
      {isResearcher(me) && (
        <LinkButton look="primary" to="/feeds/$service/new" params={{ service }}>
          <Plus aria-hidden /> New report
        </LinkButton>
      )}
    </>
  );
}

interface ListProps {
  readonly reports: Reports;
  readonly isFiltered: boolean;
  readonly service: string;
  readonly onClear: () => void;
}

function List({ reports, isFiltered, service, onClear }: ListProps) {
  const { list, rows, isLoaded, error } = reports;
  const navigate = route.useNavigate();
  const top = useRef<HTMLDivElement>(null);
  const open = (report: ExtendedReport) => void navigate(pageOf(report));
  const show = useCallback((first: number, last: number) => list.show(first, last), [list]);
  if (!isLoaded)
    return error === null ? (
      <Skeleton lines={12} label="Loading reports" />
    ) : (
      <Failure error={error} onRetry={() => list.retry()} />
    );
  if (rows.length === 0 && !reports.hasMore)
    return <Nothing isFiltered={isFiltered} service={service} onClear={onClear} />;
  return (
    <div ref={top} className={styles['list']}>
      <NewPill
        arrived={reports.arrived}
        onShow={() =>
          void list.reload().then(() => top.current?.scrollIntoView({ block: 'nearest' }))
        }
      />
      <DataTable
        label="Reports"
        columns={FEED_COLUMNS}
        narrow={NarrowReport}
        rows={rows}
        keyOf={idOf}
        onShown={show}
        onOpen={open}
      />
      {error !== null && <Failure error={error} onRetry={() => list.retry()} />}
      <p className={styles['end']}>
        {reports.hasMore ? 'Older reports load as you scroll.' : 'No older reports.'}
      </p>
    </div>
  );
}

function idOf({ id }: ExtendedReport): string {
  return id;
}

type NothingProps = Pick<ListProps, 'isFiltered' | 'service' | 'onClear'>;

function Nothing({ isFiltered, service, onClear }: NothingProps) {
  if (isFiltered)
    return (
      <Empty
        title="No report matches"
        action={<Button onClick={onClear}>Remove all filters</Button>}
      >
        <p>Expired reports are listed only with the filter for their status.</p>
      </Empty>
    );
  return (
    <Empty title="No reports yet">
      <p>Researchers report C2 addresses of {service} here; its desk answers them.</p>
    </Empty>
  );
}
