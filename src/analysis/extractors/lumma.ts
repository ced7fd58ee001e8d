import { createDecipheriv } from 'node:crypto';
import { base64Bytes } from '../codecs/base64.ts';
import type { Budget } from '../formats/format.ts';
import { type NativeProgram, nativeProgram } from '../formats/pe/native-program.ts';
import type { Reader } from '../reader.ts';
import type { Subject } from '../subject.ts';
import { MAX_ENDPOINTS } from './endpoints/addresses.ts';
import { agreedSettings } from './endpoints/agreed-settings.ts';
import { isFileName } from './endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { LUMMA_NEEDLES, xorHits } from './xor-needles.ts';

/**
 * Unpacked Lumma (LummaC2) encrypts its servers in one of three layouts:
 *
 * | layout | content |
 * |---|---|
 * | 1, until 2025 | base64, 44 characters or more: 32 bytes of key, the server XORed with it |
 * | 2 | marker (16 bytes), ChaCha20 key (32), nonce (8), blobs or at most 9 pointers to blobs |
 * | 3 | as 2, but code refers to the key, the nonce and the blobs: |
 * | | `B8 key … F3 A5 96 B8 nonce` copies key and nonce |
 * | | `C1 E. 07 8D .. blobs` indexes the blobs in steps of 128 bytes |
 * | | else the blobs follow the key or the nonce, with or without a zero byte between them |
 *
 * A blob has 128 bytes and holds a NUL-terminated text. That is two blocks of ChaCha20, so the
 * counter of blob n is 2n (in layout 3 also 2n + 2). The marker is part of a table of powers of ten
 * in the C runtime, which benign programs contain, too: only a decrypted server is proof. A server
 * is a name with an optional path: `name.example/abcd`.
 *
 * References: https://www.esentire.com/blog/the-case-of-lummac2-v4-0,
 * https://www.microsoft.com/en-us/security/blog/2025/05/21/
 * lumma-stealer-breaking-down-the-delivery-techniques-and-capabilities-of-a-prolific-infostealer/,
 * https://github.com/pebwalker/pebwalker (article "The Thrill of the Hunt")
 */
const SERVER =
  /^(?:https?:\/\/)?((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}[a-z]{2,24})((?:\/[\w.~-]{1,64}){0,4}\/?)$/i;
const MIN_SERVER_LENGTH = 7;
const DEAD_DROPS = new Set(['steamcommunity.com', 't.me', 'telegram.me']);

const BLOB_BYTES = 128;
const KEY_BYTES = 32;
const NONCE_BYTES = 8;
const MARKER_BYTES = 16;
const MAX_BLOBS = 16;
const MAX_POINTERS = 9;
const MAX_ATTEMPTS = 16;

type Servers = Pick<Extraction, 'endpoints' | 'offset'>;
type Found = Extraction | Recognition | undefined;

export const lumma: Extractor = {
  family: 'lumma',
  category: 'STEALER',
  pages: {
    lumma: {
      name: 'Lumma',
      reads: 'servers, including dead drops',
      versions:
        'version 4 (base64 and XOR) and the builds of 2025 with ChaCha20; only unpacked or dumped programs',
      proof: 'host names decrypt, each ended by a zero byte; with XOR at least two',
      notCovered:
        'packed samples, the usual form in circulation; the build id; dead drops that are encrypted separately',
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
      serversAfterMarker(subject, program) ??
      (budget.isOver() ? undefined : serversReferredByCode(program, budget)) ??
      (budget.isOver() ? undefined : serversInBase64(program.bytes, budget))
    );
  },
};

interface ChaChaKey {
  readonly key: Buffer;
  readonly nonce: Buffer;
}

function serversAfterMarker(subject: Subject, program: NativeProgram): Found {
  const hits = xorHits(subject, LUMMA_NEEDLES).filter(({ key }) => key === 0);
  return agreedSettings(
    hits.slice(0, MAX_ATTEMPTS).flatMap(({ offset }) => {
      const keyAt = offset + MARKER_BYTES;
      const key = program.reader.slice(keyAt, KEY_BYTES);
      const nonce = program.reader.slice(keyAt + KEY_BYTES, NONCE_BYTES);
      if (key === undefined || nonce === undefined) return [];
      const blobs = keyAt + KEY_BYTES + NONCE_BYTES;
      const rows = [blobsAtPointers(program, blobs), consecutiveBlobs(program.reader, blobs)];
      const found = rows.map((row) => parseServers(decryptAll(row, { key, nonce }, 0), offset));
      return found.find((one) => one !== undefined) ?? [];
    }),
  );
}

function blobsAtPointers(program: NativeProgram, at: number): (Buffer | undefined)[] {
  return Array.from({ length: MAX_POINTERS }, (_, index) =>
    program.bytesAt(program.reader.u32(at + index * 4) ?? 0, BLOB_BYTES),
  );
}

function consecutiveBlobs(reader: Reader, at: number, step = BLOB_BYTES): (Buffer | undefined)[] {
  return Array.from({ length: MAX_BLOBS }, (_, index) =>
    reader.slice(at + index * step, BLOB_BYTES),
  );
}

/** The counter of a blob depends on its index only, so missing blobs do not matter. */
function decryptAll(
  blobs: readonly (Buffer | undefined)[],
  { key, nonce }: ChaChaKey,
  firstCounter: number,
): string[] {
  return blobs.flatMap((blob, index) => {
    if (blob === undefined) return [];
    // OpenSSL expects the counter and the nonce as one IV.
    const iv = Buffer.alloc(16);
    iv.writeUInt32LE(firstCounter + index * 2, 0);
    nonce.copy(iv, 8);
    const plain = createDecipheriv('chacha20', key, iv).update(blob);
    const end = plain.indexOf(0);
    return end === -1 ? [] : [plain.toString('latin1', 0, end)];
  });
}

function parseServers(texts: readonly string[], offset: number): Servers | undefined {
  const endpoints = [...new Set(texts)].flatMap(endpointOf).slice(0, MAX_ENDPOINTS);
  return endpoints.length === 0 ? undefined : { endpoints, offset };
}

function endpointOf(text: string): Endpoint[] {
  const [, host = '', path = ''] =
    text.length >= MIN_SERVER_LENGTH ? (SERVER.exec(text) ?? []) : [];
  if (host === '' || isFileName(host)) return [];
  const usage = DEAD_DROPS.has(host.toLowerCase()) ? 'dead-drop' : 'c2';
  return [
    { protocol: 'https', usage, ...(path === '' ? { host } : { url: `https://${host}${path}` }) },
  ];
}

/** `F3 A5 96 B8`: the end of the copy of the key; the address of the nonce follows. */
const KEY_COPY = Buffer.from('f3a596b8', 'hex');
/** Distance of the key's address before the copy. */
const MAX_KEY_DISTANCE = 24;

function serversReferredByCode(program: NativeProgram, budget: Budget): Found {
  const keys = keysInCode(program);
  // Ordinary code has no such copy, so the longer search is skipped.
  const bases = keys.length === 0 ? [] : blobAddresses(program);
  const byKey: Servers[] = [];
  for (const { key, nonce, offset, ends } of keys) {
    if (budget.isOver()) break;
    const rows = [
      ...bases.map((base) => consecutiveBlobs(program.reader, base)),
      ...ends.flatMap((end) => STEPS.map((step) => consecutiveBlobs(program.reader, end, step))),
    ];
    const found = rows.flatMap((blobs) =>
      [2, 0].flatMap(
        (counter) => parseServers(decryptAll(blobs, { key, nonce }, counter), offset) ?? [],
      ),
    );
    // The first blob decrypts with a wrong step, too.
    const [best] = found.toSorted((one, other) => other.endpoints.length - one.endpoints.length);
    if (best !== undefined) byKey.push(best);
  }
  return agreedSettings(byKey);
}

/** Distances between blobs, without and with a zero byte. */
const STEPS = [BLOB_BYTES, BLOB_BYTES + 1];

interface ReferredKey extends ChaChaKey {
  readonly offset: number;
  /** Offsets after the nonce and after the key. */
  readonly ends: readonly number[];
}

function keysInCode(program: NativeProgram): ReferredKey[] {
  const keys: ReferredKey[] = [];
  for (const { start, end } of program.codeParts()) {
    const code = program.bytes.subarray(start, end);
    let found = code.indexOf(KEY_COPY);
    for (let tries = 0; found !== -1 && tries < MAX_ATTEMPTS; tries += 1) {
      const at = start + found;
      const nonceAt = program.offsetOf(program.reader.u32(at + KEY_COPY.length) ?? 0);
      if (nonceAt !== undefined) keys.push(...keysBefore(program, nonceAt, at));
      found = code.indexOf(KEY_COPY, found + 1);
    }
  }
  return keys.slice(0, MAX_ATTEMPTS);
}

/** Every `B8 address` before the copy: other instructions contain the byte B8, too. */
function keysBefore(program: NativeProgram, nonceAt: number, at: number): ReferredKey[] {
  const { bytes, reader } = program;
  const nonce = reader.slice(nonceAt, NONCE_BYTES);
  const keys: ReferredKey[] = [];
  for (let back = MAX_KEY_DISTANCE; back >= 5 && nonce !== undefined; back -= 1) {
    if (bytes[at - back] !== 0xb8) continue;
    const keyAt = program.offsetOf(reader.u32(at - back + 1) ?? 0) ?? bytes.length;
    const key = reader.slice(keyAt, KEY_BYTES);
    const ends = [nonceAt + NONCE_BYTES, keyAt + KEY_BYTES];
    if (key !== undefined) keys.push({ key, nonce, offset: at, ends });
  }
  return keys;
}

/** `C1 E. 07 8D …`: an index times 128 plus an address. */
function blobAddresses(program: NativeProgram): number[] {
  const { bytes, reader } = program;
  const addresses = new Set<number>();
  for (const { start, end } of program.codeParts()) {
    for (let at = start; at + 9 <= end && addresses.size < MAX_ATTEMPTS; at += 1) {
      if (bytes[at] !== 0xc1 || bytes[at + 2] !== 0x07 || bytes[at + 3] !== 0x8d) continue;
      const offset = program.offsetOf(reader.u32(at + 5) ?? 0);
      if (((bytes[at + 1] ?? 0) & 0xf8) === 0xe0 && offset !== undefined) addresses.add(offset);
    }
  }
  return [...addresses];
}

const MIN_BASE64_LENGTH = 44;
const MAX_BASE64_LENGTH = 512;
const MAX_TEXTS = 4_096;
/** 32 random bytes have about 30 distinct values; text and padding have fewer. */
const MIN_DISTINCT_BYTES = 20;
const MIN_SERVERS = 2;
const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/=]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

function serversInBase64(bytes: Buffer, budget: Budget): Servers | undefined {
  const servers: string[] = [];
  let first: number | undefined;
  let tried = 0;
  // Every run of the minimum length covers one of the probed offsets.
  for (let at = MIN_BASE64_LENGTH - 1; at < bytes.length; ) {
    if (IS_BASE64[bytes[at] as number] === 0) {
      at += MIN_BASE64_LENGTH;
      continue;
    }
    const { start, end } = runAround(bytes, at);
    at = end + MIN_BASE64_LENGTH;
    if (end - start < MIN_BASE64_LENGTH || end - start > MAX_BASE64_LENGTH) continue;
    if (tried++ >= MAX_TEXTS || (tried % 64 === 0 && budget.isOver())) break;
    const server = serverIn(bytes.toString('latin1', start, end));
    if (server === undefined) continue;
    first ??= start;
    servers.push(server);
  }
  if (first === undefined || new Set(servers).size < MIN_SERVERS) return undefined;
  return parseServers(servers, first);
}

function runAround(bytes: Buffer, at: number): { start: number; end: number } {
  let start = at;
  while (start > 0 && IS_BASE64[bytes[start - 1] as number] === 1) start -= 1;
  let end = at + 1;
  while (end < bytes.length && IS_BASE64[bytes[end] as number] === 1) end += 1;
  return { start, end };
}

function serverIn(text: string): string | undefined {
  const bytes = base64Bytes(text);
  const key = bytes?.subarray(0, KEY_BYTES);
  if (bytes === undefined || key === undefined || new Set(key).size < MIN_DISTINCT_BYTES)
    return undefined;
  const plain = bytes
    .subarray(KEY_BYTES)
    .map((byte, index) => byte ^ (key[index % KEY_BYTES] ?? 0));
  const server = Buffer.from(plain).toString('latin1').replace(/\0$/, '');
  return endpointOf(server).length === 0 ? undefined : server;
}
