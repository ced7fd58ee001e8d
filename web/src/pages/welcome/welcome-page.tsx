import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { becomeSignedIn } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failure } from '../../components/states.tsx';

/**
 * Where a sign-in link leads. The link is spent by the button, never by loading the page: a mail
 * scanner that opens it must not use it up.
 */
export function WelcomePage() {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const link = location.hash.slice(1);
  if (link === '')
    return (
      <Page title="Welcome" width="prose">
        <Empty
          title="The link is incomplete"
          action={<LinkButton to="/sign-in">Sign in with a token</LinkButton>}
        >
          <p>Copy the whole link: its last part, after the #, is missing.</p>
        </Empty>
      </Page>
    );
  const signIn = async () => {
    setBusy(true);
    try {
      const me = await client.signIn({ link });
      becomeSignedIn(me);
      // The secret is spent; it must not stay in the history.
      await navigate({ to: '/', replace: true });
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };
  return (
    <Page title="Welcome to Rapsheet" width="prose">
      <p>This link signs you in, once. The session lasts at most 30 days in this browser.</p>
      <div>
        <Button look="primary" disabled={isBusy} onClick={() => void signIn()}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
      </div>
      {error !== undefined && <Failure error={error} />}
    </Page>
  );
}
