import { queryOptions } from '@tanstack/react-query';
import type { Service } from '../../../src/client/wire.ts';
import { client } from './client.ts';

const MAX_PAGES = 20;

/** All services, by slug. */
export const servicesQuery = queryOptions({
  queryKey: ['services'],
  queryFn: async (): Promise<readonly Service[]> => {
    const services: Service[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { services: some, nextCursor } = await client.services({ cursor });
      services.push(...some);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    return services;
  },
  staleTime: 60_000,
  refetchOnMount: true,
});

export function serviceQuery(slug: string) {
  return {
    ...servicesQuery,
    select: (all: readonly Service[]) => all.find((one) => one.slug === slug),
  };
}
