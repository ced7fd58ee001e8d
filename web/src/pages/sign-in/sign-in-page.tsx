import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.ts';
import { becomeSignedIn } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Page } from '../../components/page.tsx';
import { explain } from '../../components/states.tsx';
import styles from './sign-in-page.module.css';

const route = getRouteApi('/sign-in');

/** Sign-in with a token. Links lead to the page of welcome instead. */
export function SignInPage() {
  const { next } = route.useSearch();
  const navigate = useNavigate();
  const [token, setToken] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const me = await client.signIn({ token: token.trim() });
      becomeSignedIn(me);
      await navigate({ href: localPath(next) });
    } catch (cause) {
      setError(explain(cause).text);
      setBusy(false);
    }
  };
  return (
    <Page title="Sign in" width="prose">
      <form className={styles['form']} onSubmit={(event) => void signIn(event)}>
        <TextField
          label="Token"
          type="password"
          autoComplete="current-password"
          isMono
          required
          value={token}
          error={error}
          hint="It begins with rap_. The page does not keep it: it opens a session of at most 30 days."
          onChange={({ target }) => {
            setToken(target.value);
            setError(undefined);
          }}
        />
        <div>
          <Button type="submit" look="primary" disabled={isBusy || token.trim() === ''}>
            {isBusy ? 'Signing in …' : 'Sign in'}
          </Button>
        </div>
      </form>
      <div className={styles['help']}>
        <h2>No token at hand?</h2>
        <p>
          Ask your operator for a sign-in link. The operator makes one with{' '}
          <code>rapsheet account link &lt;name&gt;</code>, or on the page of administration.
        </p>
      </div>
    </Page>
  );
}

/** Only a path of this server: another site must not be the target of a sign-in. */
function localPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/';
}
