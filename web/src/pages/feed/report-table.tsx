import type { ExtendedReport } from '../../../../src/client/wire.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { NarrowLinks, REPORT_COLUMNS } from './report-columns.tsx';

interface Props {
  readonly label: string;
  readonly reports: readonly ExtendedReport[];
  /** A column that says nothing here. */
  readonly without?: string;
}

/** A short list of reports outside their feed. */
export function ReportTable({ label, reports, without }: Props) {
  return (
    <DataTable
      label={label}
      columns={REPORT_COLUMNS.filter(({ id }) => id !== without)}
      narrow={NarrowLinks}
      rows={reports}
      keyOf={({ id }) => id}
    />
  );
}
