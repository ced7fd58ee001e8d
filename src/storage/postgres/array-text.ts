/** Escaped in a quoted element: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const SPECIAL = /["\\]/g;

/** Formats an array literal, for values without a binary form. */
export function arrayText(values: readonly unknown[]): string {
  let text = '{';
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ',';
    text += elementText(value);
  }
  return `${text}}`;
}

function elementText(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${value.replaceAll(SPECIAL, '\\$&')}"`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  throw new Error(`cannot be an element of an array: ${typeof value}`);
}
