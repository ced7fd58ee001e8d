import { RapsheetError } from './error.ts';

export function quoteKey(key: string): string {
  if (/^[\x20-\x21\x23-\x7e]{1,255}$/.test(key)) return `"${key}"`;
  throw new RapsheetError(
    'An idempotency key must be 1 to 255 printable ASCII characters without quotes.',
    { code: 'bad_options' },
  );
}

/** A random UUID. Browsers offer `randomUUID` only on https, `getRandomValues` everywhere. */
export function newKey(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
