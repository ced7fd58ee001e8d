import { pbkdf2Sync } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { decrypt, decryptBlocks } from '../../codecs/block-ciphers.ts';
import type { DotnetFile } from '../../formats/dotnet/file.ts';
import { typeLibraryId } from '../../formats/dotnet/traits.ts';
import type { Budget } from '../../formats/format.ts';
import { Reader } from '../../reader.ts';
import { readValues, type Value } from './values.ts';

/**
 * The resource that holds NanoCore's settings:
 *
 * | offset | content |
 * |---|---|
 * | 0 | u32 key size: 16 (from 1.2 on), 8 (1.1), any other if the key is fixed |
 * | 4 | the key; a key of 16 bytes is wrapped |
 * | then | u32 size of the ciphertext |
 * | then | DES-CBC with the key as IV and PKCS #7 padding |
 *
 * The wrapped key is AES-128-CBC. Its IV and key are the 32 bytes of PBKDF2-HMAC-SHA1 with eight
 * rounds; password and salt are both the GUID of the assembly. The first eight bytes of the
 * plaintext are the DES key. Builds of a leaked builder use the key 722018788c294897. The oldest
 * versions have one byte before the ciphertext and use the key 010305080d152237.
 *
 * The plaintext is a message:
 *
 * | content | notes |
 * |---|---|
 * | u8 compressed | if 1: u32 uncompressed size, and the rest is a raw deflate stream |
 * | u8, u8 | kind of message |
 * | u8 | whether a GUID of 16 bytes follows |
 * | values | typed, up to the end (`values.ts`) |
 *
 * Reference: https://github.com/nict-csl/NanoCoreRAT-Analysis
 */
const LEAKED_BUILDER_KEY = Buffer.from('722018788c294897', 'hex');
const OLDEST_KEY = Buffer.from('010305080d152237', 'hex');
const WRAPPED_KEY_BYTES = 16;
const DES_KEY_BYTES = 8;
const MAX_KEY_BYTES = 256;
const GUID_ROUNDS = 8;
/** The resource also holds plugins of some hundred kilobytes each. */
export const MAX_RESOURCE_BYTES = 32 * 1024 * 1024;

/** The values of the message; `undefined` if no key decrypts it. */
export function decryptResource(
  bytes: Buffer,
  file: DotnetFile | undefined,
  budget: Budget,
): readonly Value[] | undefined {
  for (const { key, ciphertext } of attemptsFor(bytes, file)) {
    const plain = decryptDes(key, ciphertext);
    const message = plain && inflate(plain, budget);
    const values = message && readMessage(message);
    if (values !== undefined) return values;
  }
  return undefined;
}

interface Attempt {
  readonly key: Buffer;
  readonly ciphertext: Buffer;
}

function attemptsFor(bytes: Buffer, file: DotnetFile | undefined): Attempt[] {
  const reader = new Reader(bytes);
  const keySize = reader.u32(0) ?? 0;
  const oldest = { key: OLDEST_KEY, ciphertext: bytes.subarray(1) };
  const key = keySize > MAX_KEY_BYTES ? undefined : reader.slice(4, keySize);
  const sizeOffset = 4 + keySize;
  const ciphertext = reader.slice(sizeOffset + 4, reader.u32(sizeOffset) ?? 0);
  if (key === undefined || ciphertext === undefined) return [oldest];
  const leaked = { key: LEAKED_BUILDER_KEY, ciphertext };
  if (keySize === DES_KEY_BYTES) return [{ key, ciphertext }];
  if (keySize !== WRAPPED_KEY_BYTES) return [leaked, oldest];
  const unwrapped = unwrapKey(key, file && typeLibraryId(file));
  return unwrapped === undefined ? [leaked] : [{ key: unwrapped, ciphertext }, leaked];
}

/** The bytes after the DES key are not checked: settings that decrypt prove the key. */
function unwrapKey(wrapped: Buffer, guid: string | undefined): Buffer | undefined {
  if (guid === undefined) return undefined;
  const secret = guidBytes(guid);
  const stream = pbkdf2Sync(secret, secret, GUID_ROUNDS, 32, 'sha1');
  const [iv, key] = [stream.subarray(0, 16), stream.subarray(16)];
  const plain = decryptBlocks({ cipher: 'aes-128-cbc', key, iv, bytes: wrapped });
  return plain?.subarray(0, DES_KEY_BYTES);
}

/** The layout of `System.Guid`: the first three groups are little-endian. */
function guidBytes(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  for (const [from, to] of [
    [0, 4],
    [4, 6],
    [6, 8],
  ])
    bytes.subarray(from, to).reverse();
  return bytes;
}

/** OpenSSL no longer has single DES. Triple DES with three equal keys is the same function. */
function decryptDes(key: Buffer, bytes: Buffer): Buffer | undefined {
  if (key.length !== DES_KEY_BYTES || bytes.length === 0 || bytes.length % DES_KEY_BYTES !== 0)
    return undefined;
  return decrypt({ cipher: 'des-ede3-cbc', key: Buffer.concat([key, key, key]), iv: key, bytes });
}

function inflate(plain: Buffer, budget: Budget): Buffer | undefined {
  if (plain[0] === 0) return plain.subarray(1);
  const size = new Reader(plain).u32(1) ?? 0;
  if (plain[0] !== 1 || size === 0 || size > MAX_RESOURCE_BYTES || !budget.takeBytes(size))
    return undefined;
  try {
    const bytes = inflateRawSync(plain.subarray(5), { maxOutputLength: size });
    return bytes.length === size ? bytes : undefined;
  } catch {
    // zlib throws if the stream is damaged or longer than its stated size.
    return undefined;
  }
}

function readMessage(message: Buffer): readonly Value[] | undefined {
  const hasGuid = message[2];
  if (hasGuid !== 0 && hasGuid !== 1) return undefined;
  return readValues(new Reader(message), hasGuid === 1 ? 19 : 3);
}
