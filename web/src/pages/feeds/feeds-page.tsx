import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function FeedsPage() {
  return (
    <Page title="Feeds">
      <Empty title="Feeds" />
    </Page>
  );
}
