import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function HomePage() {
  return (
    <Page title="Rapsheet">
      <Empty title="Rapsheet" />
    </Page>
  );
}
