import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function WelcomePage() {
  return (
    <Page title="Welcome">
      <Empty title="Welcome" />
    </Page>
  );
}
