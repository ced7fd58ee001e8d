import { useQuery } from '@tanstack/react-query';
import { reportsOfFileQuery } from '../../api/files.ts';
import { Empty, Failure, Skeleton } from '../../components/states.tsx';
import { ReportTable } from '../feed/report-table.tsx';

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
  return <ReportTable label="Reports of this file" reports={data.reports} />;
}
