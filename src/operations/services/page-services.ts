import { seal } from '../../domain/reports/cursor.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ListedService, withVerifiedHosts } from '../ownership/verified-hosts.ts';
import { readPageCursor } from '../page-cursor.ts';

export interface CountedService extends ListedService {
  /** `undefined` while older reports are counted. */
  readonly openReports: number | undefined;
}

export interface ServicesPage {
  readonly services: readonly CountedService[];
  /** `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

const PURPOSE = ['services'];

/** Returns a page of the services, ordered by slug. */
export async function pageServices(
  deps: Pick<Dependencies, 'store'>,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<ServicesPage> {
  const { store } = deps;
  const secret = await store.feeds.secret();
  const after = readPageCursor(secret, PURPOSE, cursor);
  const { services, hasMore } = await store.services.page({ after, limit });
  const [listed, open] = await Promise.all([
    withVerifiedHosts(deps, services),
    store.feeds.openReports(services.map(({ slug }) => slug)),
  ]);
  const last = services.at(-1);
  return {
    services: listed.map((service, index) => ({ ...service, openReports: open?.[index] })),
    nextCursor: hasMore && last ? seal(secret, PURPOSE, last.slug) : undefined,
  };
}
