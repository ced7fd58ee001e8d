import { useState } from 'react';
import type { SignInWith } from '../../../src/client/sessions.ts';
import { client } from './client.ts';
import { becomeSignedIn } from './session.ts';

/** Signs in, and then goes on. */
export function useSignIn(onDone: () => Promise<void>) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const signIn = async (credential: SignInWith) => {
    setBusy(true);
    setError(undefined);
    try {
      becomeSignedIn(await client.signIn(credential));
      await onDone();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return { signIn, isBusy, error, forget: () => setError(undefined) };
}
