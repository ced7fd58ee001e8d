import { Page } from '../../components/page.tsx';
import { Empty } from '../../components/states.tsx';

export function SignInPage() {
  return (
    <Page title="Sign in">
      <Empty title="Sign in" />
    </Page>
  );
}
