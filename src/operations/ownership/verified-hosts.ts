import { suffixOf } from '../../domain/ownership/challenge.ts';
import type { Service } from '../../domain/services/service.ts';
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
  return services.map((service, index) => {
    const own = proven[index] ?? new Set();
    // Most services have proven none; looking up each host would take longer than reading it.
    const isProven = (host: string) => own.size > 0 && own.has(suffixOf(host));
    return { ...service, verifiedHosts: service.hosts.filter(isProven) };
  });
}

export async function withVerifiedHostsOf(
  deps: Pick<Dependencies, 'store'>,
  service: Service,
): Promise<ListedService> {
  const [listed = { ...service, verifiedHosts: [] }] = await withVerifiedHosts(deps, [service]);
  return listed;
}
