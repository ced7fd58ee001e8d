import { useQuery } from '@tanstack/react-query';
import { reportsOfFileQuery } from '../../api/files.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { REPORT_COLUMNS } from '../feed/report-columns.tsx';

export function ReportsTab({ sha256 }: { readonly sha256: string }) {
  const { data, error, refetch } = useQuery(reportsOfFileQuery(sha256));
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton lines={4} label="Loading reports" />;
  if (data.reports.length === 0)
    return (
      <Empty title="The file has not been reported">
        <p>Report one of its addresses from the overview.</p>
      </Empty>
    );
  return (
    <DataTable
      label="Reports of this file"
      columns={REPORT_COLUMNS}
      rows={data.reports}
      keyOf={({ id }) => id}
    />
  );
}
