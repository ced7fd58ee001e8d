/**
 * The driver treats these modes of libpq as `verify-full`, with a warning of ten lines each time.
 */
const TREATED_AS_VERIFY_FULL = ['prefer', 'require', 'verify-ca'];

interface ConnectionUrl {
  /** The URL for the driver, without `options`. */
  readonly url: string;
  /**
   * Session settings of the URL, such as `-c search_path=…`. Separate, because the driver would use
   * them instead of ours.
   */
  readonly options: string;
}

export function parseConnectionUrl(text: string): ConnectionUrl {
  const url = new URL(text);
  const { searchParams } = url;
  const options = searchParams.get('options') ?? '';
  const sslMode = searchParams.get('sslmode') ?? '';
  const isLibpqCompatible = searchParams.get('uselibpqcompat') === 'true';
  const isVerified = !isLibpqCompatible && TREATED_AS_VERIFY_FULL.includes(sslMode);
  // `url.href` would change the encoding, so return the original text if possible.
  if (options === '' && !isVerified) return { url: text, options };
  searchParams.delete('options');
  if (isVerified) searchParams.set('sslmode', 'verify-full');
  return { url: url.href, options };
}

/** Names the database in messages, without the password. */
export function databaseLabel(url: string): string {
  const { host, pathname, username } = new URL(url);
  const user = username === '' ? '' : `${username}@`;
  return `PostgreSQL at ${user}${host}${pathname}`;
}
