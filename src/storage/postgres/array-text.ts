/** What a string may not hold as it is: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const SPECIAL = /["\\]/g;

/** A list as the text of an array. Where thousands of values go over the wire, the driver's own way costs several times as much. */
export function arrayText(values: readonly unknown[]): string {
  let text = '{';
  for (const [place, value] of values.entries()) {
    if (place > 0) text += ',';
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
