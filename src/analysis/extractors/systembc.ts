import { unXor } from '../codecs/xor-search.ts';
import type { Budget } from '../formats/format.ts';
import { SECTION_WRITE } from '../formats/pe/image.ts';
import { nativeProgram } from '../formats/pe/native-program.ts';
import type { Subject } from '../subject.ts';
import { parsePort } from './endpoints/addresses.ts';
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
    for (const { offset, key } of xorHits(subject, SYSTEMBC_NEEDLES).slice(0, MAX_ATTEMPTS)) {
      const block = unXor(subject.bytes.subarray(offset, offset + BLOCK_BYTES), key);
      const found = describe(block, offset);
      if (found !== undefined) return found;
    }
    return encryptedBlock(subject, budget);
  },
};

function encryptedBlock(subject: Subject, budget: Budget): Extraction | Recognition | undefined {
  const { bytes } = subject;
  if (bytes.length > MAX_PROGRAM_BYTES) return undefined;
  for (const { start, end } of nativeProgram(subject)?.partsWith(SECTION_WRITE) ?? []) {
    const last = Math.min(end, start + MAX_DATA_BYTES) - BEGINNING.length;
    for (let at = start; at < last && (at % 1024 !== 0 || !budget.isOver()); at += 1) {
      for (const keyAt of keyOffsets(bytes, at, { start, end })) {
        const found = decryptBlock(bytes, at, keyAt);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
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

/**
 * Offsets of keys that decrypt a block start at `at`: directly before it, or after it. Zero bytes
 * in the block expose parts of the key, so the first match may be one of these.
 */
function* keyOffsets(
  bytes: Buffer,
  at: number,
  { start, end }: { start: number; end: number },
): Generator<number> {
  // Zeros are unused space. A search at each of them would take long.
  if (bytes[at] === 0 && bytes[at + 1] === 0) return;
  const keyStart = BEGINNING_BYTES.map((byte, index) => byte ^ (bytes[at + index] ?? 0));
  const before = at - KEY_BYTES;
  if (before >= start && bytes.subarray(before, before + keyStart.length).equals(keyStart))
    yield before;
  const after = bytes.subarray(at + KEY_BYTES, Math.min(at + MAX_KEY_DISTANCE, end));
  let found = after.indexOf(keyStart);
  for (let tries = 0; found !== -1 && tries < MAX_ATTEMPTS; tries += 1) {
    yield at + KEY_BYTES + found;
    found = after.indexOf(keyStart, found + 1);
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
