const SHA256 = /^[0-9a-f]{64}$/;

/**
 * `ab/cd/<sha256>`, as a path in a folder and as a key in a bucket. It rejects any other text, so
 * that no input becomes part of a path.
 */
export function objectKeyOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error('the key of a sample must be a SHA-256');
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}
