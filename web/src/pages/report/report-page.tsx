import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function ReportPage() {
  return (
    <Page title="Report">
      <Empty title="Report" />
    </Page>
  );
}
