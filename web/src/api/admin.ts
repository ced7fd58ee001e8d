import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Account, AuditEntry, AuditPage } from '../../../src/client/wire.ts';
import { client } from './client.ts';
import { servicesQuery } from './services.ts';
import { sessionQuery } from './session.ts';

/** Administrative data is refetched whenever it is shown. */
const FRESH = { staleTime: 0, refetchOnMount: true } as const;
const WATCH_MS = 5000;
const ACCOUNT_PAGE = 1000;
const MAX_ACCOUNT_PAGES = 10;
/** A filtered page may be empty: the number of pages read before the reader must ask for more. */
const MAX_EMPTY_PAGES = 10;

const adminKey = ['admin'] as const;

/** Refetches everything that a change may affect, including the caller's own rights. */
export function refreshAdmin(cache: QueryClient): void {
  for (const queryKey of [adminKey, servicesQuery.queryKey, sessionQuery.queryKey])
    void cache.invalidateQueries({ queryKey });
}

export const adminServicesQuery = queryOptions({
  queryKey: [...adminKey, 'services'],
  queryFn: async () => (await client.listServices()).services,
  ...FRESH,
});

/** Reads on if a page is empty, which most are where many hosts are declared. */
export const overlapsQuery = infiniteQueryOptions({
  queryKey: [...adminKey, 'overlaps'],
  queryFn: async ({ pageParam }) => {
    let cursor = pageParam === '' ? undefined : pageParam;
    for (let empty = 1; ; empty += 1) {
      const page = await client.listOverlaps({ cursor });
      const isLast = page.nextCursor === null || empty === MAX_EMPTY_PAGES;
      if (page.overlaps.length > 0 || isLast) return page;
      cursor = page.nextCursor ?? undefined;
    }
  },
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  ...FRESH,
});

export interface AccountDirectory {
  readonly accounts: readonly Account[];
  /** Whether there are more accounts than are shown. */
  readonly isCut: boolean;
}

/** All accounts by name, up to a bound. */
export const accountsQuery = queryOptions({
  queryKey: [...adminKey, 'accounts'],
  queryFn: async (): Promise<AccountDirectory> => {
    const accounts: Account[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_ACCOUNT_PAGES; page += 1) {
      const { accounts: some, nextCursor } = await client.listAccounts({
        limit: ACCOUNT_PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      accounts.push(...some);
      if (nextCursor === null) return { accounts, isCut: false };
      cursor = nextCursor;
    }
    return { accounts, isCut: true };
  },
  ...FRESH,
});

export const queueQuery = queryOptions({
  queryKey: [...adminKey, 'queue'],
  queryFn: () => client.showQueue(),
  refetchInterval: WATCH_MS,
  ...FRESH,
});

export const reanalysisQuery = queryOptions({
  queryKey: [...adminKey, 'reanalysis'],
  queryFn: () => client.showReanalysis(),
  refetchInterval: WATCH_MS,
  ...FRESH,
});

export const failedQuery = infiniteQueryOptions({
  queryKey: [...adminKey, 'failed'],
  queryFn: ({ pageParam }) =>
    client.listFailedSamples({ cursor: pageParam === '' ? undefined : pageParam }),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  ...FRESH,
});

export const workersQuery = queryOptions({
  queryKey: [...adminKey, 'workers'],
  queryFn: () => client.showWorkers(),
  refetchInterval: WATCH_MS,
  ...FRESH,
});

/** Whether the server that answers should get requests; an error says why not. */
export const readinessQuery = queryOptions({
  queryKey: [...adminKey, 'readiness'],
  queryFn: () => client.readyz(),
  refetchInterval: WATCH_MS,
  ...FRESH,
});

export const settingsQuery = queryOptions({
  queryKey: [...adminKey, 'settings'],
  queryFn: async () => (await client.listSettings()).settings,
});

interface Filter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
}

export function auditQuery({ actor, action, subject }: Filter) {
  const filter = {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
  };
  return infiniteQueryOptions({
    queryKey: [...adminKey, 'audit', filter],
    queryFn: ({ pageParam }) => readAudit(filter, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
    ...FRESH,
  });
}

async function readAudit(
  filter: { readonly actor?: string; readonly action?: string; readonly subject?: string },
  before: number,
): Promise<AuditPage> {
  const entries: AuditEntry[] = [];
  let next: number | null = before === 0 ? null : before;
  for (let page = 0; page < MAX_EMPTY_PAGES && entries.length === 0; page += 1) {
    const answer = await client.audit({ ...filter, ...(next !== null && { before: next }) });
    entries.push(...answer.entries);
    next = answer.nextBefore;
    if (next === null) break;
  }
  return { entries, nextBefore: next };
}
