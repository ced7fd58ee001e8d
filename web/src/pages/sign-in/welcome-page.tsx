import { useNavigate, useRouterState } from '@tanstack/react-router';
import { RapsheetError } from '../../../../src/client/error.ts';
import { useOptionalMe } from '../../api/session.ts';
import { useSignIn } from '../../api/use-sign-in.ts';
import { Button } from '../../components/button.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failure } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './welcome-page.module.css';

/**
 * Where a sign-in link leads. The link is spent by the button, never by loading the page: a mail
 * scanner that opens it must not use it up.
 */
export function WelcomePage() {
  const link = useRouterState({ select: ({ location }) => location.hash }).replace(/^#/, '');
  const navigate = useNavigate();
  // Replaced, so that the spent secret does not stay in the history.
  const { signIn, isBusy, error } = useSignIn(() => navigate({ to: '/', replace: true }));
  if (!/^ral_[\w-]+$/.test(link)) return <IncompleteLink />;
  if (error instanceof RapsheetError && error.code === 'link_invalid') return <SpentLink />;
  return (
    <Page title="Welcome to Rapsheet" width="prose">
      <p>This link signs you in, once. The session lasts at most 30 days in this browser.</p>
      <Replaced />
      <div>
        <Button look="primary" disabled={isBusy} onClick={() => void signIn({ link })}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
      </div>
      {error !== undefined && <Failure error={error} onRetry={() => void signIn({ link })} />}
      <p className={styles['quiet']}>
        Only you should have this link. If somebody sent it to many, ask for another one.
      </p>
    </Page>
  );
}

/** A browser has one session. */
function Replaced() {
  const me = useOptionalMe();
  if (me === undefined) return null;
  return <p>You are signed in as {visible(me.name)} now. The link replaces that session.</p>;
}

function IncompleteLink() {
  return (
    <Page title="Welcome" width="prose">
      <Empty title="The link is incomplete" action={<OtherWays />}>
        <p>
          Copy the whole link: its last part, after the #, is missing or cut. It begins with{' '}
          <code>ral_</code>.
        </p>
      </Empty>
    </Page>
  );
}

function SpentLink() {
  return (
    <Page title="Welcome" width="prose">
      <Empty title="This link no longer works" action={<OtherWays />}>
        <p>
          A link is good once, for 15 minutes; an invitation for 7 days. It was used, it has
          expired, or its account is disabled. Ask the operator of this server for another one.
        </p>
      </Empty>
    </Page>
  );
}

function OtherWays() {
  const me = useOptionalMe();
  return me === undefined ? (
    <LinkButton to="/sign-in">Sign in with a token</LinkButton>
  ) : (
    <LinkButton to="/">Go on as {visible(me.name)}</LinkButton>
  );
}
