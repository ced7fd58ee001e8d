const MAX_LENGTH = 255;

/**
 * Invisible characters, and those that change the display of others: controls, line ends, bidi
 * marks.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A file name of a client, for display: the last segment of a path of any system, without invisible
 * characters. `undefined` if nothing is left. It is never used as a path.
 */
export function parseFileName(text: string): string | undefined {
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const name = last.toWellFormed().replace(INVISIBLE, '').trim();
  if (/^\.{0,2}$/.test(name)) return undefined;
  return name.length <= MAX_LENGTH ? name : [...name].slice(0, MAX_LENGTH).join('').trim();
}
