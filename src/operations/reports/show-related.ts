import type { HostOrC2, RelatedToAddress } from '../../ports/search-store.ts';
import type { Dependencies } from '../dependencies.ts';

const LIMITS = { files: 20, c2sOfFile: 20, ports: 20, names: 20 };

/** Returns what belongs to a C2 or a host. Other C2s of the host leave out the C2 itself. */
export async function showRelated(
  { store }: Pick<Dependencies, 'store'>,
  address: HostOrC2,
): Promise<RelatedToAddress> {
  const { ports, ...related } = await store.search.relatedTo(address, LIMITS);
  const items = ports.items.filter((port) => port !== address.port);
  return { ...related, ports: { ...ports, items } };
}
