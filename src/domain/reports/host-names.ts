import { isAddress } from '../search-query.ts';

/** `b.c` and `c` of `a.b.c`; none of an address. */
export function parentsOf(host: string): readonly string[] {
  if (isAddress(host)) return [];
  const parents: string[] = [];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
    parents.push(host.slice(dot + 1));
  return parents;
}
