import { AdminClient } from './admin.ts';
import { Calls } from './calls.ts';
import { query } from './query.ts';
import type { Transport } from './transport.ts';
import type { Done, EndedSessions, Me } from './wire.ts';

/** A token, or the secret of a sign-in link: what follows `#` in the link. */
export type SignInWith = { readonly token: string } | { readonly link: string };

/** Who is calling, and the sessions of browsers. */
export class SessionClient extends AdminClient {
  readonly #calls: Calls;

  constructor(transport: Transport) {
    super(transport);
    this.#calls = new Calls(transport);
  }

  /** The account of the token or session. */
  me(): Promise<Me> {
    return this.#calls.get('/api/me');
  }

  /** As `me`, by the name that belongs to signing in. */
  session(): Promise<Me> {
    return this.#calls.get('/session');
  }

  /**
   * Starts a session, whose cookie the browser keeps. It is not retried after a broken connection,
   * because a link is good once. Without an argument, the token of the client is used.
   */
  signIn(credential?: SignInWith): Promise<Me> {
    const call = { method: 'POST', path: '/session', retry: 'unprocessed' } as const;
    if (credential === undefined) return this.#calls.call(call);
    if ('link' in credential) return this.#calls.call({ ...call, body: { link: credential.link } });
    const headers = { authorization: `Bearer ${credential.token}` };
    return this.#calls.call({ ...call, headers });
  }

  /** Ends the session of the browser; without one it does nothing. */
  signOut(): Promise<Done> {
    return this.#calls.delete('/session');
  }

  /** Ends all sessions of the account; its tokens stay valid, unless those `issued` in sessions. */
  endSessions(options: { readonly issued?: boolean } = {}): Promise<EndedSessions> {
    return this.#calls.delete(`/api/sessions${query(options)}`);
  }
}
