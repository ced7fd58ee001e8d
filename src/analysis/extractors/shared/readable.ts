/** What no text has: control signs other than line ends and tabs, halves of pairs, and what was no UTF-8. */
const NO_TEXT = /[^\P{C}\t\r\n]|\ufffd/u;
/** The same on one line, but for signs that are only not seen: one of these must not make a list of hosts unreadable. */
const NO_LINE = /[\p{Cc}\p{Cs}\p{Cn}\ufffd]/u;

/** The text, if it is UTF-8 that people can read: what a wrong key gives is not. */
export function readableText(bytes: Buffer | undefined): string | undefined {
  const text = bytes?.toString('utf8');
  return text === undefined || NO_TEXT.test(text) ? undefined : text;
}

/** The text of bytes that are nothing but text, on one line. It may hold signs that are to be escaped before it is shown. */
export function readableLine(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return NO_LINE.test(text) ? undefined : text;
}
