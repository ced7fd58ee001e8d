import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive } from '../../api/live/live.ts';
import { historyQuery, reportQuery } from '../../api/reports.ts';
import { useMe } from '../../api/session.ts';
import { LinkButton } from '../../components/link-button.tsx';
import { Status } from '../../components/marks/status.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { defang } from '../../text/defang.ts';
import { visible } from '../../text/visible.ts';
import { DeleteReport } from './delete-report.tsx';
import { DeskActions } from './desk-actions.tsx';
import { Evidence } from './evidence.tsx';
import { History } from './history.tsx';
import { ReportFacts } from './report-facts.tsx';
import styles from './report-page.module.css';

const route = getRouteApi('/signed-in/feeds/$service/reports/$id');

export function ReportPage() {
  const { service, id } = route.useParams();
  const cache = useQueryClient();
  const me = useMe();
  const { data: report, error, refetch } = useQuery(reportQuery(service, id));
  const [deleted, setDeleted] = useState<string>();
  useLive((event) => {
    if (event.kind !== 'reset' && event.change.id === id && event.change.type === 'deleted')
      setDeleted(id);
    else if (event.kind === 'reset' || event.change.id === id) {
      void cache.invalidateQueries({
        queryKey: reportQuery(service, id).queryKey,
        refetchType: 'active',
      });
      void cache.invalidateQueries({
        queryKey: historyQuery(service, id).queryKey,
        refetchType: 'active',
      });
    }
  });
  if (deleted === id) return <Deleted service={service} />;
  if (report === undefined)
    return (
      <Page title="Report">
        {error === null ? (
          <Skeleton lines={10} label="Loading the report" />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  const isOwner = me.services.some(({ slug }) => slug === service);
  const mayDelete = isOwner || report.reportedBy === me.name;
  return (
    <Page
      title={`${visible(report.name)} at ${defang(report.c2Address)}`}
      head={
        <div className={styles['head']}>
          <h1>
            {visible(report.name)} at {defang(report.c2Address)}
          </h1>
          <Status status={report.status} reason={report.statusReason} />
          <Link to="/feeds/$service" params={{ service }}>
            feed {service}
          </Link>
        </div>
      }
      actions={mayDelete && <DeleteReport report={report} />}
    >
      {isOwner && <DeskActions report={report} />}
      <div className={styles['columns']}>
        <Section title="Report">
          <ReportFacts report={report} />
        </Section>
        <div className={styles['side']}>
          <Evidence report={report} />
          <History service={service} id={id} />
        </div>
      </div>
    </Page>
  );
}

/** Somebody deleted it while it was shown. */
function Deleted({ service }: { readonly service: string }) {
  return (
    <Page title="Report">
      <Empty
        title="This report was deleted"
        action={
          <LinkButton to="/feeds/$service" params={{ service }}>
            Feed {service}
          </LinkButton>
        }
      >
        <p>Its reporter, an owner of the feed or an operator withdrew it.</p>
      </Empty>
    </Page>
  );
}
