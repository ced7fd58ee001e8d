import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  createHash,
  type Decipheriv,
  randomBytes,
} from 'node:crypto';
import { DamagedSample } from '../ports/sample-files.ts';

/**
 * How a sample lies at rest, in a folder as in a bucket:
 *
 *   offset  bytes  what
 *   0       7      "RAPSMPL"
 *   7       1      version: 1
 *   8       16     key
 *   24      16     initial counter block
 *   40      …      the bytes of the sample, AES-128-CTR
 *
 * There is no secret in it: the key stands beside what it seals, on purpose. It only keeps the bytes from being
 * recognised by an antivirus, and from being run by a careless click.
 */
const MAGIC = Buffer.from('RAPSMPL\x01', 'latin1');
const KEY_BYTES = 16;
const COUNTER_BYTES = 16;
const ALGORITHM = 'aes-128-ctr';

const PIECE_BYTES = 256 * 1024;

const HEADER_BYTES = MAGIC.length + KEY_BYTES + COUNTER_BYTES;

/** A header of its own for every file, and what seals the bytes that follow it. */
export function newSeal(): { readonly header: Buffer; readonly cipher: Cipheriv } {
  const header = Buffer.concat([MAGIC, randomBytes(KEY_BYTES + COUNTER_BYTES)]);
  const { key, counter } = keyOf(header);
  return { header, cipher: createCipheriv(ALGORITHM, key, counter) };
}

/**
 * The bytes of a sealed sample, which `take` gives: so many of them, or what is left. The last piece comes only when the
 * whole is known to be right.
 */
export async function* readSealed(
  take: (length: number) => Promise<Buffer>,
  sha256: string,
): AsyncGenerator<Buffer> {
  const decipher = openSeal(await take(HEADER_BYTES));
  if (decipher === undefined) throw new DamagedSample(`${sha256} does not begin as a sample does`);
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for (;;) {
    const sealed = await take(PIECE_BYTES);
    if (sealed.length === 0) break;
    if (held !== undefined) yield held;
    held = decipher.update(sealed);
    hash.update(held);
  }
  if (hash.digest('hex') !== sha256) throw new DamagedSample(`${sha256} has other bytes`);
  if (held !== undefined) yield held;
}

/** What opens the bytes after that header; `undefined` where it is not one of ours. */
function openSeal(header: Buffer): Decipheriv | undefined {
  if (header.length !== HEADER_BYTES) return undefined;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const { key, counter } = keyOf(header);
  return createDecipheriv(ALGORITHM, key, counter);
}

function keyOf(header: Buffer): { readonly key: Buffer; readonly counter: Buffer } {
  const end = MAGIC.length + KEY_BYTES;
  return { key: header.subarray(MAGIC.length, end), counter: header.subarray(end) };
}
