import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function NewReportPage() {
  return (
    <Page title="New report">
      <Empty title="New report" />
    </Page>
  );
}
