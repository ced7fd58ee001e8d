/**
 * Stream names of Windows Installer databases. Two characters of a 64-letter alphabet share one
 * code unit, so that a name fits into the 31 code units of a directory entry:
 *
 * | code unit        | meaning                                            |
 * |------------------|----------------------------------------------------|
 * | U+3800 to U+47FF | two letters: low six bits first, then the next six |
 * | U+4800 to U+483F | one letter                                         |
 * | U+4840           | the mark of a table, shown as `!`                  |
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._';

export function decodeInstallerName(name: string): string {
  let decoded = '';
  for (const unit of name) decoded += decodeUnit(unit);
  return decoded;
}

/** Whether a name uses this encoding. */
export function isInstallerName(name: string): boolean {
  return /[\u3800-\u4840]/.test(name);
}

function decodeUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  if (code < 0x3800 || code > 0x4840) return unit;
  if (code === 0x4840) return '!';
  if (code >= 0x4800) return ALPHABET[code - 0x4800] ?? '';
  const pair = code - 0x3800;
  return `${ALPHABET[pair & 0x3f]}${ALPHABET[pair >> 6]}`;
}
