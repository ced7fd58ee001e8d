/** Those of libpq that the driver takes for `verify-full`, with a warning of ten lines each time. */
const TAKEN_FOR_VERIFIED = ['prefer', 'require', 'verify-ca'];

interface Address {
  /** For the driver. */
  readonly url: string;
  /** What the address asks of each session, `-c search_path=…`: the driver would have that instead of what we ask for. */
  readonly options: string;
}

export function readAddress(text: string): Address {
  const url = new URL(text);
  const { searchParams } = url;
  const options = searchParams.get('options') ?? '';
  const sslMode = searchParams.get('sslmode') ?? '';
  const isOfLibpq = searchParams.get('uselibpqcompat') === 'true';
  const isTaken = !isOfLibpq && TAKEN_FOR_VERIFIED.includes(sslMode);
  // An address that says nothing of this stays as it was written.
  if (options === '' && !isTaken) return { url: text, options };
  searchParams.delete('options');
  if (isTaken) searchParams.set('sslmode', 'verify-full');
  return { url: url.href, options };
}

/** Without the password. */
export function nameOf(url: string): string {
  const { host, pathname, username } = new URL(url);
  const user = username === '' ? '' : `${username}@`;
  return `PostgreSQL at ${user}${host}${pathname}`;
}
