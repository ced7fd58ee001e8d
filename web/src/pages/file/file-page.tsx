import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function FilePage() {
  return (
    <Page title="File">
      <Empty title="File" />
    </Page>
  );
}
