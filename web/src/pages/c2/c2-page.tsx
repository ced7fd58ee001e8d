import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function C2Page() {
  return (
    <Page title="C2">
      <Empty title="C2" />
    </Page>
  );
}
