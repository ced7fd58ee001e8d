/**
 * The cookie of a session. Over https it has the prefix `__Host-`: browsers then accept it only
 * from this host and over https, so another host of the same domain cannot set it.
 */
export const SESSION_COOKIE = 'rapsheet_session';

/** Only over https may a cookie be `Secure`: browsers drop such a cookie of a plain http server. */
function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}

function nameFor(baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

/** The secret in a `Cookie` header (RFC 6265, section 4.2.1); `undefined` if it is not there. */
export function readSessionCookie(header: string, baseUrl: string): string | undefined {
  const start = `${nameFor(baseUrl)}=`;
  const pair = header
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(start));
  return pair?.slice(start.length);
}

/** The `Set-Cookie` header of a new session. */
export function sessionCookie(
  baseUrl: string,
  secret: string,
  { expiresAt, now }: { readonly expiresAt: Date; readonly now: Date },
): string {
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000));
  return formatCookie(baseUrl, secret, seconds);
}

/** The `Set-Cookie` header that removes the cookie. */
export function removedCookie(baseUrl: string): string {
  return formatCookie(baseUrl, '', 0);
}

function formatCookie(baseUrl: string, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(baseUrl) ? '; Secure' : '';
  return `${nameFor(baseUrl)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}
