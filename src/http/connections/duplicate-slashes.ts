/** Paths to which readers append more: MISP adds `/manifest.json` to a URL that ends in a slash. */
const OF_READERS = /^\/+(?:misp|taxii2)(?:[/?]|$)/;

/** The URL of a request with single slashes in its path, if feed readers compose such URLs. */
export function withoutDuplicateSlashes(url: string): string {
  if (!OF_READERS.test(url)) return url;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.replace(/\/{2,}/g, '/') + url.slice(path.length);
}
