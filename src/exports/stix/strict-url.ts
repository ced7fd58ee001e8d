const HOST = /^(?:[\w.~!$&'()*+,;=-]+|\[[0-9a-f:]+\])(?::[0-9]+)?$/;

/** What the parser would return unchanged, unless it decodes a name. Most URLs are like this. */
const PLAIN = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]{2,}\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/;

/**
 * A URL as RFC 3986 defines it, which validators of STIX require. Browsers, and so reports, accept
 * more characters; those are percent-encoded.
 */
export function strictUrl(text: string): string | undefined {
  if (PLAIN.test(text) && !text.includes('xn--')) return text;
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || !HOST.test(host)) return undefined;
  const fragment = hash === '' ? '' : `#${encode(hash.slice(1))}`;
  return `${protocol}//${host}${encode(pathname)}${encode(search)}${fragment}`;
}

function encode(text: string): string {
  return text
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replace(/[^\w\-.~:/?@!$&'()*+,;=%]+/gu, encodeURIComponent);
}
