import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function AccountPage() {
  return (
    <Page title="Account">
      <Empty title="Account" />
    </Page>
  );
}
