const MAX_WAIT_SECONDS = 30;

/** A preference: a name, and a value that may stand in quotes (RFC 7240, section 2). Parameters are passed over. */
const PREFERENCE = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"([^"\\]*)"|([^\s";,]+))\s*)?(?:;.*)?$/;

/**
 * How many seconds the caller is willing to wait for an answer, at most half a minute. What cannot be read is
 * passed over, as the RFC asks; of several the first counts.
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
