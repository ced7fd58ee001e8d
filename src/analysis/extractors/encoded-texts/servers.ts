import { isHost } from '../endpoints/hosts.ts';

/** Servers and pages of StealC among decoded strings. */
const SERVER = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:\s]+)(?::(\d{1,5}))?$/i;
const PAGE = /^\/[\w-]{1,64}\.php$/;
/** Strings between the host and its page. */
const MAX_PAGE_DISTANCE = 4;
const MAX_SERVERS = 16;

/** Whether the string is a URL without a path. */
export function isServer(text: string): boolean {
  const [, , host = ''] = SERVER.exec(text) ?? [];
  return isHost(host);
}

function hasScheme(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isPage(text: string): boolean {
  return PAGE.test(text);
}

/**
 * The URLs of servers with the next page, unless it belongs to another server. The scheme may be a
 * string of its own.
 */
export function serverUrls(texts: readonly string[]): string[] {
  const urls = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (urls.size >= MAX_SERVERS) break;
    if (!hasScheme(text)) continue;
    const isSchemeAlone = text.endsWith('//');
    const server = isSchemeAlone ? `${text}${texts[index + 1] ?? ''}` : text;
    const next = texts
      .slice(index + 1, index + 1 + MAX_PAGE_DISTANCE)
      .find((one) => isPage(one) || hasScheme(one));
    if (next !== undefined && isPage(next) && isServer(server)) urls.add(`${server}${next}`);
  }
  return [...urls];
}
