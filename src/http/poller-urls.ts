const TAXII = /^\/+taxii2(?:[/?]|$)/;
const FOR_POLLERS = /^\/+(?:taxii2|misp)(?:[/?]|$)/;

/** Whether errors of this URL have the form of TAXII. */
export function isTaxiiUrl(url: string): boolean {
  return TAXII.test(url);
}

/** Whether a URL is one of feed readers that send a user name and a password. */
export function isPollerUrl(url: string): boolean {
  return FOR_POLLERS.test(url);
}

/**
 * Pollers join base URLs and paths carelessly. Under their paths, repeated slashes count as one,
 * and TAXII works without the slash at the end.
 */
export function normalizeUrl(url: string): string {
  if (!isPollerUrl(url)) return url;
  const end = url.indexOf('?');
  const path = (end === -1 ? url : url.slice(0, end)).replace(/\/{2,}/g, '/');
  const query = end === -1 ? '' : url.slice(end);
  return isTaxiiUrl(path) && !path.endsWith('/') ? `${path}/${query}` : path + query;
}
