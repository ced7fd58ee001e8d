import { invalid } from '../../domain/problem.ts';

/**
 * `Idempotency-Key` is a structured-field string and therefore quoted
 * (draft-ietf-httpapi-idempotency-key-header). Many clients send it without quotes.
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(', ') : header;
  const [, quoted, bare] =
    /^(?:"([\x20-\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e]{1,255}))$/.exec(text) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) {
    throw invalid('invalid_header', [
      'Idempotency-Key must be 1 to 255 printable ASCII characters, with or without quotes.',
    ]);
  }
  return key;
}
