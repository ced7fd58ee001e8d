import type { Service } from '../../domain/services/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ListedService, withVerifiedHosts } from '../ownership/verified-hosts.ts';

/** All services. There are few enough to return them without paging. */
export function listServices({ store }: Pick<Dependencies, 'store'>): Promise<readonly Service[]> {
  return store.services.list();
}

/** Services of one read. */
const SLICE = 100;

/** All services in parts, none of which takes long: they may declare very much. */
export async function* readServices(
  deps: Pick<Dependencies, 'store'>,
): AsyncGenerator<readonly ListedService[], void> {
  let after: string | undefined;
  for (;;) {
    const { services, hasMore } = await deps.store.services.page({ after, limit: SLICE });
    yield await withVerifiedHosts(deps, services);
    if (!hasMore) return;
    after = services.at(-1)?.slug;
  }
}
