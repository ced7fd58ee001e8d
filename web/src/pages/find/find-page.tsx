import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function FindPage() {
  return (
    <Page title="Search">
      <Empty title="Search" />
    </Page>
  );
}
