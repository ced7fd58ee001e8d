/** A row as both databases give it, in the order of the columns. */
export type Row = readonly unknown[];
/** The values of its key. */
export type Key = readonly unknown[];

/**
 * The one form in which rows of both are compared: JSON, bytes as hexadecimal digits. PostgreSQL holds no text with a
 * zero in it; there, as everywhere in that store, it becomes the sign for what cannot be shown.
 */
export function canonicalRow(row: Row): string {
  return JSON.stringify(row.map(canonical));
}

function canonical(value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) return value.replaceAll('\0', '\uFFFD');
  return value instanceof Uint8Array ? { hex: hexOf(value) } : value;
}

/** For the note of how far it is. */
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
