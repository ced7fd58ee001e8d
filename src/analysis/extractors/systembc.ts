import { unXor } from '../codecs/xor-search.ts';
import type { Budget } from '../formats/format.ts';
import { SECTION_WRITE } from '../formats/pe/image.ts';
import { nativeProgram } from '../formats/pe/native-program.ts';
import type { Subject } from '../subject.ts';
import { parsePort } from './endpoints/addresses.ts';
import { agreedSettings } from './endpoints/agreed-settings.ts';
import { isHost } from './endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { otherSettings } from './setting-texts.ts';
import { SYSTEMBC_NEEDLES, xorHits } from './xor-needles.ts';

/**
 * SystemBC has a block of NUL-terminated strings in its data:
 *
 * | string | notes |
 * |---|---|
 * | `BEGINDATA` | start of the block |
 * | `HOST1:…`, `HOST2:…`, `PORT1:…` | |
 * | `DNS1:…`, `DNS2:…`, `TOR:…` | optional |
 *
 * Newer versions XOR the block with a key of 40 bytes directly before or after it. Little is
 * published about the layout and it was not checked against a sample, so the result is marked
 * heuristic.
 *
 * References: https://www.proofpoint.com/us/threat-insight/post/
 * systembc-christmas-july-socks5-malware-and-exploit-kits,
 * https://news.sophos.com/en-us/2020/12/16/systembc/
 */
const BEGINNING = 'BEGINDATA\0HOST1:';
const BLOCK_BYTES = 2048;
const KEY_BYTES = 40;
const MAX_HOSTS = 16;
const MAX_ATTEMPTS = 16;
/** Real samples have some ten kilobytes and hardly any writable data. */
const MAX_PROGRAM_BYTES = 64 * 1024;
const MAX_DATA_BYTES = 8 * 1024;
/** Distance of a key after the start of its block. */
const MAX_KEY_DISTANCE = 1024;

const ENTRY = /^(HOST|PORT|DNS|TOR)(\d?):(.{0,255})$/;

export const systembc: Extractor = {
  family: 'systembc',
  category: 'BOT',
  pages: {
    systembc: {
      name: 'SystemBC',
      reads: 'servers and port, DNS servers, whether Tor is used',
      versions:
        'for Windows, plain or XORed with 40 bytes; the layout is unverified, because few details are published',
      proof:
        'the marker of the block, then its entries by name, with a host and a port (reported as heuristic, because the layout is unverified)',
      notCovered: 'for Linux; other keys and layouts',
      references: [
        'https://www.proofpoint.com/us/threat-insight/post/systembc-christmas-july-socks5-malware-and-exploit-kits',
        'https://news.sophos.com/en-us/2020/12/16/systembc/',
      ],
    },
  },

  matches: (subject) =>
    xorHits(subject, SYSTEMBC_NEEDLES).length > 0 ||
    (subject.bytes.length <= MAX_PROGRAM_BYTES && nativeProgram(subject) !== undefined),

  extract(subject, budget) {
    const hits = xorHits(subject, SYSTEMBC_NEEDLES).slice(0, MAX_ATTEMPTS);
    const blocks = hits.flatMap(({ offset, key }) => {
      const block = unXor(subject.bytes.subarray(offset, offset + BLOCK_BYTES), key);
      return describe(block, offset) ?? [];
    });
    return agreedSettings([...blocks, ...encryptedBlocks(subject, budget)]);
  },
};

function encryptedBlocks(subject: Subject, budget: Budget): (Extraction | Recognition)[] {
  const { bytes } = subject;
  const blocks: (Extraction | Recognition)[] = [];
  if (bytes.length > MAX_PROGRAM_BYTES) return blocks;
  for (const { start, end } of nativeProgram(subject)?.partsWith(SECTION_WRITE) ?? []) {
    const last = Math.min(end, start + MAX_DATA_BYTES) - BEGINNING.length;
    const keys = new KeySearch(bytes, start, Math.min(end, last + MAX_KEY_DISTANCE));
    for (let at = start; at < last && (at % 1024 !== 0 || !budget.isOver()); at += 1) {
      for (const keyAt of keys.offsetsFor(at)) {
        const found = decryptBlock(bytes, at, keyAt);
        if (found !== undefined) blocks.push(found);
      }
    }
  }
  return blocks;
}

/** A block before its key ends at the key. */
function decryptBlock(
  bytes: Buffer,
  at: number,
  keyAt: number,
): Extraction | Recognition | undefined {
  const key = bytes.subarray(keyAt, keyAt + KEY_BYTES);
  const block = bytes.subarray(at, keyAt > at ? keyAt : at + BLOCK_BYTES);
  return describe(xorWithKey(block, key), at);
}

const BEGINNING_BYTES = Buffer.from(BEGINNING, 'latin1');

/** Two bytes as a number. */
function pairAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

const BEGINNING_PAIR = pairAt(BEGINNING_BYTES, 0);
const PAIRS = 1 << 16;
const NO_OFFSETS: readonly number[] = [];

/**
 * Finds the keys of blocks in one part of a program. It indexes the part by pairs of bytes: a
 * search for the start of each key would take a millisecond even for a tiny program.
 */
class KeySearch {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  /** For each pair its first offset, and for each offset the next one of its pair; 0: none. */
  readonly #first = new Uint32Array(PAIRS);
  readonly #next: Uint32Array;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#next = new Uint32Array(Math.max(end - start, 0));
    for (let at = end - 2; at >= start; at -= 1) {
      const pair = pairAt(bytes, at);
      this.#next[at - start] = this.#first[pair] ?? 0;
      this.#first[pair] = at;
    }
  }

  /**
   * Offsets of keys that decrypt a block start at `at`: directly before it, or after it. Zero bytes
   * in the block expose parts of the key, so the first match may be one of these. `at` must not
   * decrease from call to call.
   */
  offsetsFor(at: number): readonly number[] {
    const pair = pairAt(this.#bytes, at);
    // Zeros are unused space. A search at each of them would take long.
    if (pair === 0) return NO_OFFSETS;
    const found: number[] = [];
    const before = at - KEY_BYTES;
    if (before >= this.#start && this.#isKey(at, before)) found.push(before);
    const attempts = found.length + MAX_ATTEMPTS;
    const last = Math.min(at + MAX_KEY_DISTANCE, this.#end) - BEGINNING.length;
    let keyAt = this.#firstKey(pair ^ BEGINNING_PAIR, at + KEY_BYTES);
    for (; keyAt !== 0 && keyAt <= last && found.length < attempts; keyAt = this.#nextOf(keyAt))
      if (this.#isKey(at, keyAt)) found.push(keyAt);
    return found;
  }

  /** The first offset of a pair that is not before `from`. Earlier ones are not needed again. */
  #firstKey(pair: number, from: number): number {
    let at = this.#first[pair] ?? 0;
    while (at !== 0 && at < from) at = this.#nextOf(at);
    this.#first[pair] = at;
    return at;
  }

  #nextOf(at: number): number {
    return this.#next[at - this.#start] ?? 0;
  }

  #isKey(at: number, keyAt: number): boolean {
    for (let index = 0; index < BEGINNING.length; index += 1) {
      const byte = (this.#bytes[at + index] ?? 0) ^ (this.#bytes[keyAt + index] ?? 0);
      if (byte !== BEGINNING_BYTES[index]) return false;
    }
    return true;
  }
}

function xorWithKey(bytes: Buffer, key: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (key[index % key.length] ?? 0)));
}

/** Reads entries up to the first invalid one. */
function describe(block: Buffer, offset: number): Extraction | Recognition | undefined {
  const [marker, ...texts] = block.toString('latin1').split(/\0+/);
  if (marker !== 'BEGINDATA') return undefined;
  const entries = new Map<string, string>();
  for (const text of texts) {
    const [, name = '', number = '', value = ''] = ENTRY.exec(text) ?? [];
    if (name === '') break;
    if (entries.has(`${name}${number}`)) return undefined;
    entries.set(`${name}${number}`, value);
  }
  const endpoints = serversOf(entries);
  if (endpoints.length === 0) return templateOf(entries, offset);
  return {
    endpoints,
    other: otherSettings({
      'DNS Servers': [...numbered(entries, 'DNS')].join(', '),
      Tor: entries.get('TOR'),
    }),
    heuristic: true,
    offset,
  };
}

/** An unbuilt template has all names and no values. */
function templateOf(entries: ReadonlyMap<string, string>, offset: number): Recognition | undefined {
  const isTemplate = entries.get('HOST1') === '' && entries.get('PORT1') === '';
  return isTemplate ? { unread: 'template that was never built', offset } : undefined;
}

/** Each host with the port of the same number, else the first port. */
function serversOf(entries: ReadonlyMap<string, string>): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (let number = 1; number <= MAX_HOSTS; number += 1) {
    const host = entries.get(`HOST${number}`) ?? '';
    const port = parsePort(entries.get(`PORT${number}`) ?? entries.get('PORT1') ?? '');
    if (port !== undefined && isHost(host))
      endpoints.push({ protocol: 'tcp', usage: 'c2', host, port });
  }
  return endpoints;
}

function* numbered(entries: ReadonlyMap<string, string>, name: string): Generator<string> {
  for (const [key, value] of entries) if (key.startsWith(name) && value !== '') yield value;
}
