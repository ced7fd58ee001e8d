import { queryOptions, useQuery } from '@tanstack/react-query';
import { RapsheetError } from '../../../src/client/error.ts';
import type { Me } from '../../../src/client/wire.ts';
import { client } from './client.ts';
import { forgetAllKept } from './kept/database.ts';
import { queryClient } from './query-client.ts';
import { type EndedBy, tellSessionEnd } from './session-end.ts';
import { mayBeSignedIn, noteSignedIn, noteSignedOut } from './signed-in-flag.ts';
import { Store } from './store.ts';

export type { Me };

const SESSION_KEY = ['session'] as const;

/** Whether this browser had a session that the server has ended, and nobody signed in since. */
export const isSessionLost = new Store(false);

/**
 * Who is signed in; `null` for nobody. Other tabs and programs use the same quota, and an
 * administrator may change the roles: it is read again when the reader comes back to the tab.
 */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async (): Promise<Me | null> => {
    if (!mayBeSignedIn()) return null;
    try {
      const me = await client.session();
      noteSignedIn(me.id);
      return me;
    } catch (error) {
      if (!(error instanceof RapsheetError && error.status === 401)) throw error;
      noteSignedOut();
      isSessionLost.set(true);
      // The open page needs an account, so it must be left.
      if (queryClient.getQueryData(SESSION_KEY)) tellSessionEnd('server');
      return null;
    }
  },
  staleTime: 60_000,
  refetchOnWindowFocus: true,
});

/** After a sign-in. Nothing of an earlier account stays. */
export function becomeSignedIn(me: Me): void {
  forgetAll();
  isSessionLost.set(false);
  queryClient.setQueryData(sessionQuery.queryKey, me);
  noteSignedIn(me.id);
}

/** After this time, the page that needed an account is no longer shown. */
const LEFT_AFTER_MS = 1000;

/** After a sign-out, or when the server says that the session has ended. */
export function becomeSignedOut(by: EndedBy): void {
  noteSignedOut();
  // Calls that were under way when the reader signed out are refused later.
  if (queryClient.getQueryData(sessionQuery.queryKey)) isSessionLost.set(by === 'server');
  queryClient.setQueryData(sessionQuery.queryKey, null);
  // Data of the open page is removed later: without it, the page would request it again and fail.
  setTimeout(() => forgetAll('inactive'), LEFT_AFTER_MS);
}

/** Another tab has signed in or out: this one has the same cookie. */
export async function followOtherTab(): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  // Without an answer, the next call shows whether the session is valid.
  const now = await queryClient
    .fetchQuery({ ...sessionQuery, staleTime: 0 })
    .catch(() => undefined);
  if (now === undefined) return;
  if (now === null) becomeSignedOut('reader');
  // The page shows data of the previous account.
  else if (before && before.id !== now.id) location.reload();
}

function forgetAll(type: 'all' | 'inactive' = 'all'): void {
  const [session] = sessionQuery.queryKey;
  void forgetAllKept();
  queryClient.removeQueries({ type, predicate: ({ queryKey }) => queryKey[0] !== session });
}

let lastMe: Me | undefined;

/**
 * The signed-in account. Pages that need one are shown only when there is one; a page that is about
 * to be left, because the session has ended, still gets the last account.
 */
export function useMe(): Me {
  const { data } = useQuery(sessionQuery);
  lastMe = data ?? lastMe;
  if (lastMe === undefined) throw new Error('nobody is signed in');
  return lastMe;
}

export function useOptionalMe(): Me | undefined {
  return useQuery(sessionQuery).data ?? undefined;
}

export function isResearcher(me: Me): boolean {
  return me.roles.includes('researcher');
}

export function isAdmin(me: Me): boolean {
  return me.roles.includes('admin');
}

/** Stores the balance from the answer to a call that costs quota. */
export function noteQuota(quota: { readonly remaining: number | null } | undefined): void {
  if (quota === undefined) return;
  queryClient.setQueryData(sessionQuery.queryKey, (me) =>
    me ? { ...me, quota: { ...me.quota, remaining: quota.remaining } } : me,
  );
}
