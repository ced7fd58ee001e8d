import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function HostPage() {
  return (
    <Page title="Host">
      <Empty title="Host" />
    </Page>
  );
}
