/** A row as both databases return it, in the order of the columns. */
export type Row = readonly unknown[];
/** The values of the key columns. */
export type Key = readonly unknown[];

/**
 * The form in which rows of both databases are compared: JSON with bytes as hexadecimal digits.
 * PostgreSQL stores no NUL characters; the store writes U+FFFD for them there.
 */
export function canonicalRow(row: Row): string {
  return JSON.stringify(row.map(canonical));
}

function canonical(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) return value.replaceAll('\0', '\uFFFD');
  return value instanceof Uint8Array ? { hex: hexOf(value) } : value;
}

/** The key as text, for the table `moving`. */
export function formatKey(key: Key): string {
  return JSON.stringify(key.map(canonical));
}

export function parseKey(text: string): Key {
  const values: readonly unknown[] = JSON.parse(text);
  return values.map((value) =>
    typeof value === 'object' && value !== null && 'hex' in value
      ? Buffer.from(String(value.hex), 'hex')
      : value,
  );
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
