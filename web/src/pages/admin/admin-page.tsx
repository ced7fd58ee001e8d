import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function AdminPage() {
  return (
    <Page title="Administration">
      <Empty title="Administration" />
    </Page>
  );
}
