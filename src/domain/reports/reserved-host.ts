import { isPublicAddress } from '../public-address.ts';
import { isPublicSuffix } from '../public-suffix.ts';
import { isAddress } from '../search-query.ts';

/** Why a host means something else, or nothing, in each network. */
export type HostReservation = 'reserved' | 'local-name' | 'public-suffix';

/** Names that each network resolves by itself, for hosts of its own. */
const LOCAL_SUFFIXES = new Set(['localhost', 'localdomain', 'local', 'internal', 'lan', 'arpa']);

/** Why nobody owns the canonical host alone; `undefined` if somebody may. */
export function reservationOf(host: string): HostReservation | undefined {
  if (isAddress(host)) return isPublicAddress(host) ? undefined : 'reserved';
  const last = host.slice(host.lastIndexOf('.') + 1);
  if (last === host || LOCAL_SUFFIXES.has(last)) return 'local-name';
  return isPublicSuffix(host) ? 'public-suffix' : undefined;
}
