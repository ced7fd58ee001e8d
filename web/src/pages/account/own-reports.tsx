import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { ownReportsQuery } from '../../api/account.ts';
import { reporterQuery } from '../../api/trust.ts';
import { STATUSES, Status } from '../../components/marks/status.tsx';
import { Section } from '../../components/page.tsx';
import { IntervalList } from '../../components/plots/interval-list.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { formatPrecision } from '../../text/precision.ts';
import { ReportTable } from '../feed/report-table.tsx';
import styles from './account-page.module.css';

export function OwnReports({ name }: { readonly name: string }) {
  const { data, error, refetch } = useQuery(ownReportsQuery(name));
  return (
    <Section
      title="Your reports and their outcomes"
      aside={data?.hasMore && <span>The newest {data.reports.length}</span>}
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={6} label="Loading your reports" />}
      {data?.reports.length === 0 && (
        <Empty title="You have reported nothing yet">
          <p>Drop a file on the upload page: its C2 addresses can be reported from there.</p>
        </Empty>
      )}
      {data !== undefined && data.reports.length > 0 && <OwnPrecision name={name} />}
      {data !== undefined && data.reports.length > 0 && <Outcomes reports={data.reports} />}
      {data !== undefined && data.reports.length > 0 && (
        <ReportTable label="Your reports" reports={data.reports} without="reporter" />
      )}
    </Section>
  );
}

/** The share of right reports. The link leads to its details. */
function OwnPrecision({ name }: { readonly name: string }) {
  const { data } = useQuery(reporterQuery(name));
  // The list works without it.
  if (data === undefined) return <Skeleton lines={1} label="Loading your precision" />;
  const { precision } = data;
  return (
    <IntervalList
      label="Your precision with its interval"
      rows={[
        {
          id: name,
          label: (
            <Link to="/reporters/$name" params={{ name }}>
              Your precision
            </Link>
          ),
          share: precision,
          text: formatPrecision(precision),
        },
      ]}
    />
  );
}

function Outcomes({ reports }: { readonly reports: readonly ExtendedReport[] }) {
  // The list leaves expired reports out.
  const statuses = STATUSES.filter((one) => one !== 'expired');
  return (
    <ul className={styles['outcomes']}>
      {statuses.map((status) => (
        <li key={status}>
          <b>{reports.filter((report) => report.status === status).length}</b>{' '}
          <Status status={status} />
        </li>
      ))}
    </ul>
  );
}
