const MAX_WAIT_SECONDS = 30;

/**
 * A preference: a name, and a value that may be quoted (RFC 7240, section 2). Parameters are
 * ignored.
 */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"([^"\\]*)"|([^\s";,]+))\s*)?(?:;.*)?$/;

/**
 * How many seconds the client is willing to wait, at most 30. Unreadable preferences are ignored,
 * as the RFC requires; the first `wait` counts.
 */
export function readWait(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  for (const part of [header].flat().join(',').split(',')) {
    const [, name, quoted, bare] = PREFERENCE.exec(part) ?? [];
    if (name?.toLowerCase() !== 'wait') continue;
    const value = quoted ?? bare ?? '';
    return /^\d{1,9}$/.test(value) ? Math.min(Number(value), MAX_WAIT_SECONDS) : undefined;
  }
  return undefined;
}
