import { suffixOf } from '../../domain/ownership/challenge.ts';
import type { Service } from '../../domain/reports/service.ts';
import type { Dependencies } from '../dependencies.ts';

/** A service, and which of its hosts it has proven to own. */
export interface ListedService extends Service {
  readonly verifiedHosts: readonly string[];
}

export async function withVerifiedHosts(
  { store }: Pick<Dependencies, 'store'>,
  services: readonly Service[],
): Promise<readonly ListedService[]> {
  const proven = await store.ownership.verified(services.map(({ slug }) => slug));
  return services.map((service, index) => ({
    ...service,
    verifiedHosts: service.hosts.filter((host) => proven[index]?.has(suffixOf(host))),
  }));
}

export async function withVerifiedHostsOf(
  deps: Pick<Dependencies, 'store'>,
  service: Service,
): Promise<ListedService> {
  const [listed = { ...service, verifiedHosts: [] }] = await withVerifiedHosts(deps, [service]);
  return listed;
}
