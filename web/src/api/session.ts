import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { RapsheetError } from '../../../src/client/error.ts';
import type { Me } from '../../../src/client/wire.ts';
import { client } from './client.ts';

export type { Me };

/** Who is signed in; `null` for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Me | null> => {
    try {
      return await client.session();
    } catch (error) {
      if (error instanceof RapsheetError && error.status === 401) return null;
      throw error;
    }
  },
});

/** The signed-in account. Pages that need one are shown only when there is one. */
export function useMe(): Me {
  const { data } = useQuery(sessionQuery);
  if (data === undefined || data === null) throw new Error('nobody is signed in');
  return data;
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

/** Notes what a call that costs quota said about the balance. */
export function useQuotaNote(quota: { remaining: number | null } | undefined): void {
  const cache = useQueryClient();
  useEffect(() => {
    if (quota === undefined) return;
    cache.setQueryData(sessionQuery.queryKey, (me) =>
      me ? { ...me, quota: { ...me.quota, remaining: quota.remaining } } : me,
    );
  }, [cache, quota]);
}
