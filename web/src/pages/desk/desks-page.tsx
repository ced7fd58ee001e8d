import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function DesksPage() {
  return (
    <Page title="Desk">
      <Empty title="Desk" />
    </Page>
  );
}
