const SHA256 = /^[0-9a-f]{64}$/;

/** `ab/cd/<sha256>`, in a folder as in a bucket. Nothing else than a hash ever becomes part of a path. */
export function placeOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error('a sample was asked for by what is no SHA-256');
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}
