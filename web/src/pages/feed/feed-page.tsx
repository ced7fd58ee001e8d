import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function FeedPage() {
  return (
    <Page title="Feed">
      <Empty title="Feed" />
    </Page>
  );
}
