import { oneLine } from './characters.ts';

/** A record of RFC 4180: every field in quotes, the end of the line is CRLF. */
export function csvRecord(fields: readonly string[]): string {
  return `${fields.map(quote).join(',')}\r\n`;
}

function quote(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** The texts of a field, which may contain the separator. */
export function joinTexts(texts: readonly string[]): string {
  return texts.map((text) => text.replace(/[\\|]/g, '\\$&')).join('|');
}

/** Includes full-width signs, which some programs take for the ASCII ones. */
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** An apostrophe makes a cell text. A tab or line break is no longer there to begin a formula. */
export function inert(text: string): string {
  const line = oneLine(text);
  return FORMULA.test(line) ? `'${line}` : line;
}
