import type { KnownAs } from '../../client/wire.ts';

/** `good (Public DNS resolvers), shared (…)` */
export function knownText(known: readonly KnownAs[]): string {
  return known.map(({ list, kind }) => `${kind} (${list})`).join(', ');
}
