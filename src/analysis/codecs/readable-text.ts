/**
 * Control characters other than tab and line ends, lone surrogates, and U+FFFD for invalid UTF-8.
 */
const UNREADABLE_IN_TEXT = /[^\P{C}\t\r\n]|\ufffd/u;
/**
 * As above, for one line. Format characters are allowed: one of them must not hide a list of hosts.
 */
const UNREADABLE_IN_LINE = /[\p{Cc}\p{Cs}\p{Cn}\ufffd]/u;

/**
 * Decodes readable UTF-8; `undefined` otherwise, which is what decryption under a wrong key gives.
 */
export function readableText(bytes: Buffer | undefined): string | undefined {
  const text = bytes?.toString('utf8');
  return text === undefined || UNREADABLE_IN_TEXT.test(text) ? undefined : text;
}

/** Decodes one line of UTF-8. It may hold format characters: escape them before display. */
export function readableLine(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return UNREADABLE_IN_LINE.test(text) ? undefined : text;
}
