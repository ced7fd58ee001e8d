/** Where a search leads: to the page of what was named, or to the results. */
export type SearchTarget =
  | { readonly to: '/files/$hash'; readonly params: { readonly hash: string } }
  | { readonly to: '/c2/$c2'; readonly params: { readonly c2: string } }
  | { readonly to: '/hosts/$host'; readonly params: { readonly host: string } }
  | { readonly to: '/find'; readonly search: { readonly q: string } };

/** What a text names by its form alone. */
export type Named =
  | { readonly kind: 'file'; readonly hash: string }
  | { readonly kind: 'c2'; readonly c2: string }
  | { readonly kind: 'host'; readonly host: string };

/** The server refuses longer texts. */
export const MAX_QUERY = 200;

const HASH = /^(?:[0-9a-f]{64}|[0-9a-f]{128})$/;
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const IPV6 = /^\[[0-9a-f:.]+\]$/;
const PORT = /:(\d{1,5})$/;

/** The text without what people put around addresses: `hxxps://evil[.]example:443/a` too. */
export function refang(text: string): string {
  const plain = text
    .trim()
    .replace(/\[\.\]|\(\.\)|\{\.\}|\[dot\]|\(dot\)/gi, '.')
    .replaceAll('[:]', ':')
    .replace(/^h(?:xx|tt)p(s?)(?:\[?:\]?)\/\//i, 'http$1://');
  const url = /^(https?):\/\/([^/?#@\s]+)/i.exec(plain);
  return url?.[2] ?? plain;
}

export function nameOf(text: string): Named | undefined {
  const plain = refang(text).toLowerCase();
  if (HASH.test(plain)) return { kind: 'file', hash: plain };
  const port = PORT.exec(plain);
  const host = port === null ? plain : plain.slice(0, port.index);
  if (!NAME.test(host) && !IPV6.test(host)) return undefined;
  if (port === null) return { kind: 'host', host };
  const number = Number(port[1]);
  return number >= 1 && number <= 65_535 ? { kind: 'c2', c2: `${host}:${number}` } : undefined;
}

/** A name with dots may be a file or a tag, so it is searched; an IP address is a host. */
export function pageOf(text: string): SearchTarget | undefined {
  const query = text.trim();
  if (query === '') return undefined;
  const named = nameOf(query);
  if (named?.kind === 'host' && !IPV4.test(named.host) && !IPV6.test(named.host))
    return { to: '/find', search: { q: query } };
  return named === undefined ? { to: '/find', search: { q: query } } : pageOfNamed(named);
}

export function pageOfNamed(named: Named): SearchTarget {
  if (named.kind === 'file') return { to: '/files/$hash', params: { hash: named.hash } };
  if (named.kind === 'c2') return { to: '/c2/$c2', params: { c2: named.c2 } };
  return { to: '/hosts/$host', params: { host: named.host } };
}
