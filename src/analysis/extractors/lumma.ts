import { createDecipheriv } from 'node:crypto';
import { base64Bytes } from '../codecs/base64.ts';
import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram } from '../formats/pe/native-program.ts';
import type { Reader } from '../reader.ts';
import type { Subject } from '../subject.ts';
import { MAX_ENDPOINTS } from './endpoints/addresses.ts';
import type { Endpoint, Extraction, Extractor } from './extractor.ts';
import { LUMMA_NEEDLES, xorHits } from './xor-needles.ts';

/**
 * Lumma (LummaC2), unpacked, hides its servers in one of three ways:
 *
 *   1. until 2025: texts of base64, at least 44 signs: 32 bytes of key, then the server XORed with it
 *   2. then ChaCha20: a mark of 16 bytes | key of 32 | nonce of 8 | up to 9 addresses of blobs, or the blobs themselves
 *   3. then the same, with key, nonce and blobs wherever the code says:
 *      B8 key … F3 A5 96 B8 nonce      copies both into place
 *      C1 E. 07 8D .. blobs            counts in steps of 128 bytes
 *      or else the blobs follow key or nonce, each with or without a zero behind it
 *
 * A blob has 128 bytes: a text ended by zero. That is two blocks of ChaCha20, so the counter of blob n is 2n (in the
 * third way 2n + 2, too). The mark is two powers of ten out of a table of the C library, which ordinary programs have as
 * well: it proves nothing, only a server that comes out does. Servers are names, with or without a path:
 * `name.example/abcd`.
 *
 * References: https://www.esentire.com/blog/the-case-of-lummac2-v4-0,
 * https://www.microsoft.com/en-us/security/blog/2025/05/21/lumma-stealer-breaking-down-the-delivery-techniques-and-capabilities-of-a-prolific-infostealer/,
 * https://github.com/pebwalker/pebwalker (article "The Thrill of the Hunt")
 */
const SERVER =
  /^(?:https?:\/\/)?((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}[a-z]{2,24})((?:\/[\w.~-]{1,64}){0,4}\/?)$/i;
const SHORTEST_SERVER = 7;
const DEAD_DROPS = new Set(['steamcommunity.com', 't.me', 'telegram.me']);

const BLOB_BYTES = 128;
const KEY_BYTES = 32;
const NONCE_BYTES = 8;
const MARK_BYTES = 16;
const MOST_BLOBS = 16;
const MOST_POINTERS = 9;
const MOST_TRIES = 16;

type Found = Pick<Extraction, 'endpoints' | 'offset'>;

export const lumma: Extractor = {
  family: 'lumma',
  category: 'STEALER',
  pages: {
    lumma: {
      name: 'Lumma',
      reads: 'servers, dead drops among them',
      versions:
        'version 4 (base64 and XOR) and the builds of 2025 with ChaCha20; only unpacked or dumped programs',
      proof:
        'names of hosts come out of the cipher, ended by a zero byte; of the XOR kind at least two',
      notCovered:
        'packed samples, which is how it is spread; the build id; dead drops that are sealed separately',
      references: [
        'https://www.esentire.com/blog/the-case-of-lummac2-v4-0',
        'https://www.microsoft.com/en-us/security/blog/2025/05/21/lumma-stealer-breaking-down-the-delivery-techniques-and-capabilities-of-a-prolific-infostealer/',
      ],
    },
  },

  matches: (subject) => nativeProgram(subject)?.is32 === true,

  extract(subject, budget) {
    const program = nativeProgram(subject);
    if (program === undefined) return undefined;
    return (
      behindMark(subject, program) ??
      (budget.isOver() ? undefined : namedByCode(program, budget)) ??
      (budget.isOver() ? undefined : inBase64(program.bytes, budget))
    );
  },
};

interface ChaChaKey {
  readonly key: Buffer;
  readonly nonce: Buffer;
}

function behindMark(subject: Subject, program: NativeProgram): Found | undefined {
  const hits = xorHits(subject, LUMMA_NEEDLES).filter(({ key }) => key === 0);
  for (const { offset } of hits.slice(0, MOST_TRIES)) {
    const keyAt = offset + MARK_BYTES;
    const key = program.reader.slice(keyAt, KEY_BYTES);
    const nonce = program.reader.slice(keyAt + KEY_BYTES, NONCE_BYTES);
    if (key === undefined || nonce === undefined) continue;
    const blobs = keyAt + KEY_BYTES + NONCE_BYTES;
    const found =
      foundIn(decryptAll(pointedTo(program, blobs), { key, nonce }, 0), offset) ??
      foundIn(decryptAll(inRow(program.reader, blobs), { key, nonce }, 0), offset);
    if (found !== undefined) return found;
  }
  return undefined;
}

function pointedTo(program: NativeProgram, at: number): (Buffer | undefined)[] {
  return Array.from({ length: MOST_POINTERS }, (_, place) =>
    program.bytesAt(program.reader.u32(at + place * 4) ?? 0, BLOB_BYTES),
  );
}

function inRow(reader: Reader, at: number, step = BLOB_BYTES): (Buffer | undefined)[] {
  return Array.from({ length: MOST_BLOBS }, (_, place) =>
    reader.slice(at + place * step, BLOB_BYTES),
  );
}

/** Each blob has its own counter, whether those before it are there or not. */
function decryptAll(
  blobs: readonly (Buffer | undefined)[],
  { key, nonce }: ChaChaKey,
  firstCounter: number,
): string[] {
  return blobs.flatMap((blob, place) => {
    if (blob === undefined) return [];
    // OpenSSL takes the counter and the nonce as one.
    const iv = Buffer.alloc(16);
    iv.writeUInt32LE(firstCounter + place * 2, 0);
    nonce.copy(iv, 8);
    const plain = createDecipheriv('chacha20', key, iv).update(blob);
    const end = plain.indexOf(0);
    return end === -1 ? [] : [plain.toString('latin1', 0, end)];
  });
}

function foundIn(texts: readonly string[], offset: number): Found | undefined {
  const endpoints = [...new Set(texts)].flatMap(endpointOf).slice(0, MAX_ENDPOINTS);
  return endpoints.length === 0 ? undefined : { endpoints, offset };
}

function endpointOf(text: string): Endpoint[] {
  const [, host = '', path = ''] = text.length >= SHORTEST_SERVER ? (SERVER.exec(text) ?? []) : [];
  if (host === '') return [];
  const usage = DEAD_DROPS.has(host.toLowerCase()) ? 'dead-drop' : 'c2';
  return [
    { protocol: 'https', usage, ...(path === '' ? { host } : { url: `https://${host}${path}` }) },
  ];
}

/** `F3 A5 96 B8`: the copy of the key is done, the nonce comes next. */
const COPIED = Buffer.from('f3a596b8', 'hex');
/** How far before the copy the address of the key stands. */
const KEY_REACH = 24;

function namedByCode(program: NativeProgram, budget: Budget): Found | undefined {
  const keys = keysInCode(program);
  // Ordinary code has no such copy: the longer search is left out.
  const bases = keys.length === 0 ? [] : blobAddresses(program);
  for (const { key, nonce, offset, ends } of keys) {
    if (budget.isOver()) return undefined;
    const rows = [
      ...bases.map((base) => inRow(program.reader, base)),
      ...ends.flatMap((end) => STEPS.map((step) => inRow(program.reader, end, step))),
    ];
    const found = rows.flatMap((blobs) =>
      [2, 0].flatMap(
        (counter) => foundIn(decryptAll(blobs, { key, nonce }, counter), offset) ?? [],
      ),
    );
    // With a wrong step the first may come out all the same.
    const [most] = found.toSorted((one, other) => other.endpoints.length - one.endpoints.length);
    if (most !== undefined) return most;
  }
  return undefined;
}

/** From one blob to the next, where a zero may stand between them. */
const STEPS = [BLOB_BYTES, BLOB_BYTES + 1];

interface KeyInCode extends ChaChaKey {
  readonly offset: number;
  /** Behind the nonce and behind the key. */
  readonly ends: readonly number[];
}

function keysInCode(program: NativeProgram): KeyInCode[] {
  const keys: KeyInCode[] = [];
  for (const { start, end } of program.codeParts()) {
    const code = program.bytes.subarray(start, end);
    let found = code.indexOf(COPIED);
    for (let tries = 0; found !== -1 && tries < MOST_TRIES; tries += 1) {
      const at = start + found;
      const nonceAt = program.offsetOf(program.reader.u32(at + COPIED.length) ?? 0);
      if (nonceAt !== undefined) keys.push(...keysWith(program, nonceAt, at));
      found = code.indexOf(COPIED, found + 1);
    }
  }
  return keys.slice(0, MOST_TRIES);
}

/** What each `B8 address` before the copy points to: a byte of another instruction may be B8, too. */
function keysWith(program: NativeProgram, nonceAt: number, at: number): KeyInCode[] {
  const { bytes, reader } = program;
  const nonce = reader.slice(nonceAt, NONCE_BYTES);
  const keys: KeyInCode[] = [];
  for (let back = KEY_REACH; back >= 5 && nonce !== undefined; back -= 1) {
    if (bytes[at - back] !== 0xb8) continue;
    const keyAt = program.offsetOf(reader.u32(at - back + 1) ?? 0) ?? bytes.length;
    const key = reader.slice(keyAt, KEY_BYTES);
    const ends = [nonceAt + NONCE_BYTES, keyAt + KEY_BYTES];
    if (key !== undefined) keys.push({ key, nonce, offset: at, ends });
  }
  return keys;
}

/** `C1 E. 07 8D …`: a number times 128, and an address added to it. */
function blobAddresses(program: NativeProgram): number[] {
  const { bytes, reader } = program;
  const addresses = new Set<number>();
  for (const { start, end } of program.codeParts()) {
    for (let at = start; at + 9 <= end && addresses.size < MOST_TRIES; at += 1) {
      if (bytes[at] !== 0xc1 || bytes[at + 2] !== 0x07 || bytes[at + 3] !== 0x8d) continue;
      const offset = program.offsetOf(reader.u32(at + 5) ?? 0);
      if (((bytes[at + 1] ?? 0) & 0xf8) === 0xe0 && offset !== undefined) addresses.add(offset);
    }
  }
  return [...addresses];
}

const SHORTEST_BASE64 = 44;
const LONGEST_BASE64 = 512;
const MOST_TEXTS = 4_096;
/** Random bytes have about 30 different ones among 32; text and padding have fewer. */
const LEAST_DIFFERENT = 20;
const LEAST_SERVERS = 2;
const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

function inBase64(bytes: Buffer, budget: Budget): Found | undefined {
  const servers: string[] = [];
  let first: number | undefined;
  let tried = 0;
  // A run that is long enough covers one of the places that are looked at.
  for (let at = SHORTEST_BASE64 - 1; at < bytes.length; ) {
    if (IS_BASE64[bytes[at] as number] === 0) {
      at += SHORTEST_BASE64;
      continue;
    }
    const { start, end } = runAround(bytes, at);
    at = end + SHORTEST_BASE64;
    if (end - start < SHORTEST_BASE64 || end - start > LONGEST_BASE64) continue;
    if (tried++ >= MOST_TEXTS || (tried % 64 === 0 && budget.isOver())) break;
    const server = serverIn(bytes.toString('latin1', start, end));
    if (server === undefined) continue;
    first ??= start;
    servers.push(server);
  }
  if (first === undefined || new Set(servers).size < LEAST_SERVERS) return undefined;
  return foundIn(servers, first);
}

function runAround(bytes: Buffer, at: number): { start: number; end: number } {
  let start = at;
  while (start > 0 && IS_BASE64[bytes[start - 1] as number] === 1) start -= 1;
  let end = at + 1;
  while (end < bytes.length && IS_BASE64[bytes[end] as number] === 1) end += 1;
  return { start, end };
}

function serverIn(text: string): string | undefined {
  const sealed = base64Bytes(text);
  const key = sealed?.subarray(0, KEY_BYTES);
  if (sealed === undefined || key === undefined || new Set(key).size < LEAST_DIFFERENT)
    return undefined;
  const plain = sealed
    .subarray(KEY_BYTES)
    .map((byte, place) => byte ^ (key[place % KEY_BYTES] ?? 0));
  const server = Buffer.from(plain).toString('latin1').replace(/\0$/, '');
  return endpointOf(server).length === 0 ? undefined : server;
}
