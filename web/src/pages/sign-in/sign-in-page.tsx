import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { isSessionLost, useOptionalMe } from '../../api/session.ts';
import { useSignIn } from '../../api/use-sign-in.ts';
import { useStore } from '../../api/use-store.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, explain } from '../../components/states.tsx';
import { visible } from '../../text/visible.ts';
import styles from './sign-in-page.module.css';

const route = getRouteApi('/sign-in');

/** Sign-in with a token. A sign-in link that is pasted here works too. */
export function SignInPage() {
  const { next } = route.useSearch();
  const me = useOptionalMe();
  const navigate = useNavigate();
  const goOn = () => navigate({ href: localPath(next) });
  return (
    <Page title="Sign in" width="prose">
      {me !== undefined && (
        <Empty
          title={`You are signed in as ${visible(me.name)}`}
          action={
            <Button look="primary" onClick={() => void goOn()}>
              Go on
            </Button>
          }
        >
          <p>With another token below, this browser changes to its account.</p>
        </Empty>
      )}
      {me === undefined && <Reason isPageKnown={localPath(next) !== '/'} />}
      <SignInForm onDone={goOn} />
      <div className={styles['help']}>
        <h2>No token at hand?</h2>
        <p>
          Ask the operator of this server for a sign-in link. The operator makes one with{' '}
          <code>rapsheet account link &lt;name&gt;</code>, or under Accounts in the administration.
        </p>
        <p>
          On a new installation, the first start prints a link for the account <code>admin</code>.
        </p>
      </div>
    </Page>
  );
}

/** Why the reader is asked to sign in. */
function Reason({ isPageKnown }: { readonly isPageKnown: boolean }) {
  const isLost = useStore(isSessionLost);
  if (isLost)
    return (
      <p role="status" className={styles['ended']}>
        Your session has ended.
        {isPageKnown && ' Sign in again, and you come back to the page where you were.'}
      </p>
    );
  if (!isPageKnown) return null;
  return <p className={styles['why']}>The page that you asked for needs an account.</p>;
}

function SignInForm({ onDone }: { readonly onDone: () => Promise<void> }) {
  const [text, setText] = useState('');
  const { signIn, isBusy, error, forget } = useSignIn(onDone);
  const secret = text.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const link = linkIn(secret);
    void signIn(link === undefined ? { token: secret } : { link });
  };
  return (
    <form className={styles['form']} onSubmit={submit}>
      <TextField
        label="Token"
        type="password"
        autoComplete="current-password"
        isMono
        required
        value={text}
        error={error === undefined ? undefined : reasonOf(error)}
        hint="It begins with rap_. The page does not keep it: it opens a session of at most 30 days."
        onChange={({ target }) => {
          setText(target.value);
          forget();
        }}
      />
      <div>
        <Button type="submit" look="primary" disabled={isBusy || secret === ''}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
      </div>
    </form>
  );
}

function reasonOf(error: unknown): string {
  const { title, text } = explain(error);
  return title === 'The server does not answer' ? `${title}. ${text}` : text;
}

/** The secret of a link that was pasted as a whole, or alone. */
function linkIn(text: string): string | undefined {
  return /(?:^|\/welcome#)(ral_[\w-]+)$/.exec(text)?.[1];
}

/** Only a path of this server: another site must not be the target of a sign-in. */
function localPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/';
}
