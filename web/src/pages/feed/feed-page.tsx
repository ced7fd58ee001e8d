import { getRouteApi } from '@tanstack/react-router';
import { isResearcher, useMe } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { count } from '../../text/format.ts';
import styles from './feed-page.module.css';
import { FilterBar } from './filter-bar.tsx';
import { entriesOf, filterFromSearch } from './filters.ts';
import { REPORT_COLUMNS } from './report-columns.tsx';
import { useReports } from './reports.ts';

const route = getRouteApi('/signed-in/feeds/$service');

export function FeedPage() {
  const { service } = route.useParams();
  const navigate = route.useNavigate();
  const filter = filterFromSearch(route.useSearch());
  const me = useMe();
  const list = useReports(service, filter);
  return (
    <Page
      title={`Feed ${service}`}
      actions={
        isResearcher(me) && (
          <LinkButton look="primary" to="/feeds/$service/new" params={{ service }}>
            New report
          </LinkButton>
        )
      }
    >
      <FilterBar filter={filter} onChange={(search) => void navigate({ search })} />
      {list.arrived > 0 && (
        <div className={styles['arrived']}>
          <Button size="small" look="primary" onClick={list.showArrived}>
            {count(list.arrived, 'new report')}
          </Button>
        </div>
      )}
      <Reports list={list} isFiltered={entriesOf(filter).length > 0} service={service} />
    </Page>
  );
}

interface ReportsProps {
  readonly list: ReturnType<typeof useReports>;
  readonly isFiltered: boolean;
  readonly service: string;
}

function Reports({ list, isFiltered, service }: ReportsProps) {
  if (list.isPending) return <Skeleton lines={12} label="Loading reports" />;
  if (list.error !== null && list.reports.length === 0)
    return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (list.reports.length === 0 && !list.hasNextPage)
    return isFiltered ? (
      <Empty title="No report matches">
        <p>Remove a filter to see more.</p>
      </Empty>
    ) : (
      <Empty title="No reports yet">
        <p>Researchers report C2 addresses of {service} here; its desk answers them.</p>
      </Empty>
    );
  return (
    <>
      <DataTable
        label="Reports"
        columns={REPORT_COLUMNS}
        rows={list.reports}
        keyOf={({ id }) => id}
        onEnd={() => {
          if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
        }}
      />
      {list.isFetchNextPageError && (
        <Failure error={list.error} onRetry={() => void list.fetchNextPage()} />
      )}
    </>
  );
}
