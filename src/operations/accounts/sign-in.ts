import type { Caller } from '../../domain/accounts/caller.ts';
import {
  digestToken,
  formatSecret,
  isSecret,
  TOKEN_RANDOM_BYTES,
} from '../../domain/accounts/token.ts';
import { Problem } from '../../domain/problem.ts';
import { type Dependencies, newId } from '../dependencies.ts';
import { permissionProblem } from '../permission.ts';
import { identifySession } from './identify-caller.ts';

export interface SignInOptions {
  /** The secret of a session that the new one replaces. */
  readonly replaces?: string | undefined;
}

/** A new session. Its secret is sent to the browser and never stored. */
export interface SignedIn {
  readonly secret: string;
  readonly caller: Caller;
}

/** Starts a session of the caller, which ends with the token. */
export async function signIn(
  deps: Dependencies,
  caller: Caller,
  options: SignInOptions = {},
): Promise<SignedIn> {
  const { secret, session } = newSession(deps, options);
  const outcome = await deps.store.sessions.start(session, caller, deps.now());
  if (outcome !== 'started') throw permissionProblem(outcome, 'admin');
  return { secret, caller: await callerOf(deps, secret) };
}

/** Starts a session with a sign-in link; `undefined` if the link is not valid or was used. */
export async function signInWithLink(
  deps: Dependencies,
  link: string,
  options: SignInOptions = {},
): Promise<SignedIn | undefined> {
  if (!isSecret('link', link)) return undefined;
  const { secret, session } = newSession(deps, options);
  const { sessions } = deps.store;
  const outcome = await sessions.startWithLink(session, digestToken(link), deps.now());
  return outcome === 'started' ? { secret, caller: await callerOf(deps, secret) } : undefined;
}

function newSession(deps: Dependencies, { replaces }: SignInOptions) {
  const secret = formatSecret('session', deps.randomBytes(TOKEN_RANDOM_BYTES));
  return {
    secret,
    session: {
      id: newId(deps),
      digest: digestToken(secret),
      replaces: replaces === undefined ? undefined : digestToken(replaces),
    },
  };
}

async function callerOf(deps: Dependencies, secret: string): Promise<Caller> {
  const caller = await identifySession(deps, secret);
  // The account was disabled, or its token revoked, just now.
  if (typeof caller !== 'object') throw new Problem('session_expired');
  return caller;
}
