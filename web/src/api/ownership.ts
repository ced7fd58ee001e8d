import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** A proof is checked in the background as well. */
const POLL_MS = 60_000;

/** What a service declares and has proven, for its owners and for administrators. */
export function ownershipQuery(service: string) {
  return queryOptions({
    queryKey: ['feed', service, 'ownership'],
    queryFn: () => client.showOwnership(service),
    refetchOnMount: 'always',
    refetchInterval: POLL_MS,
  });
}
