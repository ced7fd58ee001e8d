import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function DeskPage() {
  return (
    <Page title="Desk">
      <Empty title="Desk" />
    </Page>
  );
}
