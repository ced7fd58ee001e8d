const MAX_LENGTH = 255;

/** What cannot be seen or changes how the rest is shown: controls, line ends, bidirectional and other format signs. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * A file name that was sent along, made fit to be shown: the last part of what may be a path of any system,
 * without what nobody can see. `undefined` where nothing is left. It never becomes a path of ours.
 */
export function parseFileName(text: string): string | undefined {
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const name = last.toWellFormed().replace(UNSEEN, '').trim();
  if (/^\.{0,2}$/.test(name)) return undefined;
  return name.length <= MAX_LENGTH ? name : [...name].slice(0, MAX_LENGTH).join('').trim();
}
