/** Where a search leads: to the page of what was named, or to the results. */
export type SearchTarget =
  | { readonly to: '/files/$hash'; readonly params: { readonly hash: string } }
  | { readonly to: '/c2/$c2'; readonly params: { readonly c2: string } }
  | { readonly to: '/find'; readonly search: { readonly q: string } };

const HASH = /^(?:[0-9a-f]{64}|[0-9a-f]{128})$/i;
/** A host and a port, defanged or not. A name alone may as well be a tag, so it is searched. */
const C2 = /^(?:\[[0-9a-f:.[\]]+\]|[a-z0-9_-]+(?:(?:\.|\[\.\])[a-z0-9_-]+)+):\d{1,5}$/i;

export function pageOf(text: string): SearchTarget | undefined {
  const query = text.trim();
  if (query === '') return undefined;
  if (HASH.test(query)) return { to: '/files/$hash', params: { hash: query.toLowerCase() } };
  if (C2.test(query))
    return { to: '/c2/$c2', params: { c2: query.replaceAll('[.]', '.').toLowerCase() } };
  return { to: '/find', search: { q: query } };
}
