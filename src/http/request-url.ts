import { isPollerUrl, isTaxiiUrl, THREATFOX_URL } from './poller-urls.ts';
import { OLD_THREATFOX_URL } from './routes/moved.ts';

const SLASH = 47;
/** Has a slash at its end by the protocol that it serves, like all paths of TAXII. */
const THREATFOX_PATHS = [THREATFOX_URL, OLD_THREATFOX_URL].map((url) => url.slice(0, -1));
/** The lookup of an empty hash: it is charged and refused as any other that is malformed. */
const EMPTY_LOOKUP = '/private/sample/';

/**
 * The URL by which a request is routed: with and without a slash at the end of its path it is the
 * same. Two slashes are not one, except for pollers, which join base URLs and paths carelessly.
 */
export function normalizeUrl(url: string): string {
  const end = endOfPath(url);
  // Most paths of the API.
  if (url.charCodeAt(end - 1) !== SLASH && !mayNeedSlash(url)) return url;
  return normalizePath(url.slice(0, end)) + url.slice(end);
}

/** The router ends a path at a fragment too, which clients should not send. */
function endOfPath(url: string): number {
  const query = url.indexOf('?');
  const fragment = url.indexOf('#');
  if (query === -1) return fragment === -1 ? url.length : fragment;
  return fragment === -1 ? query : Math.min(query, fragment);
}

function mayNeedSlash(url: string): boolean {
  return isPollerUrl(url) || THREATFOX_PATHS.some((path) => url.startsWith(path));
}

function normalizePath(path: string): string {
  const joined = isPollerUrl(path) ? path.replace(/\/{2,}/g, '/') : path;
  const trimmed = withoutSlash(joined);
  return isTaxiiUrl(trimmed) || THREATFOX_PATHS.includes(trimmed) ? `${trimmed}/` : trimmed;
}

function withoutSlash(path: string): string {
  const isRoot = path === '/' || /^https?:\/\/[^/]*\/$/i.test(path);
  if (!path.endsWith('/') || isRoot || path.endsWith('//') || path === EMPTY_LOOKUP) return path;
  return path.slice(0, -1);
}
