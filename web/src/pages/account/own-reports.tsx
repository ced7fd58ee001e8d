import { useQuery } from '@tanstack/react-query';
import { ownReportsQuery } from '../../api/account.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { REPORT_COLUMNS } from '../feed/report-columns.tsx';

export function OwnReports({ name }: { readonly name: string }) {
  const { data, error, refetch } = useQuery(ownReportsQuery(name));
  return (
    <Section title="Your reports and their outcomes">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton lines={6} label="Loading your reports" />}
      {data?.reports.length === 0 && (
        <Empty title="You have reported nothing yet">
          <p>Drop a file on the upload page: its C2 addresses can be reported from there.</p>
        </Empty>
      )}
      {data !== undefined && data.reports.length > 0 && (
        <DataTable
          label="Your reports"
          columns={REPORT_COLUMNS.filter(({ id }) => id !== 'reporter')}
          rows={data.reports}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  );
}
