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
 * The format of a stored sample, in a folder and in a bucket:
 *
 *   offset  bytes  what
 *   0       7      "RAPSMPL"
 *   7       1      version: 1
 *   8       16     key
 *   24      16     initial counter block
 *   40      …      the bytes of the sample, AES-128-CTR
 *
 * This is not encryption: the file holds its own key. It only keeps antivirus programs from
 * matching the bytes, and prevents that a sample is run by accident.
 */
const MAGIC = Buffer.from('RAPSMPL\x01', 'latin1');
const KEY_BYTES = 16;
const COUNTER_BYTES = 16;
const ALGORITHM = 'aes-128-ctr';

const PIECE_BYTES = 256 * 1024;

const HEADER_BYTES = MAGIC.length + KEY_BYTES + COUNTER_BYTES;

/** Creates the header of a file and the cipher for the bytes after it. */
export function newSeal(): { readonly header: Buffer; readonly cipher: Cipheriv } {
  const header = Buffer.concat([MAGIC, randomBytes(KEY_BYTES + COUNTER_BYTES)]);
  const { key, counter } = keyOf(header);
  return { header, cipher: createCipheriv(ALGORITHM, key, counter) };
}

/**
 * Yields the bytes of a stored sample. `read` returns that many bytes, or fewer at the end. The
 * last piece is yielded only after the hash of the whole was verified.
 */
export async function* readSealed(
  read: (length: number) => Promise<Buffer>,
  sha256: string,
): AsyncGenerator<Buffer> {
  const decipher = openSeal(await read(HEADER_BYTES));
  if (decipher === undefined) throw new DamagedSample(`${sha256} has no valid header`);
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for (;;) {
    const sealed = await read(PIECE_BYTES);
    if (sealed.length === 0) break;
    if (held !== undefined) yield held;
    held = decipher.update(sealed);
    hash.update(held);
  }
  if (hash.digest('hex') !== sha256) throw new DamagedSample(`${sha256} has other bytes`);
  if (held !== undefined) yield held;
}

/** The decipher for the bytes after that header; `undefined` if the header is not valid. */
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
