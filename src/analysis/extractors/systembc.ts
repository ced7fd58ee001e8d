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
 * SystemBC has a block of texts in its data, each ended by zero bytes:
 *
 *   "BEGINDATA" 00 "HOST1:…" 00 "HOST2:…" 00 "PORT1:…" 00, then perhaps "DNS1:…", "DNS2:…", "TOR:…"
 *
 * In newer versions the block is XORed with 40 bytes that stand next to it, before or behind. Little is published of
 * it, and none of it was checked against a sample: this is the layout as it is told, so that a reading says that it is
 * not sure.
 *
 * References: https://www.proofpoint.com/us/threat-insight/post/systembc-christmas-july-socks5-malware-and-exploit-kits,
 * https://news.sophos.com/en-us/2020/12/16/systembc/
 */
const BEGINNING = 'BEGINDATA\0HOST1:';
const BLOCK_BYTES = 2048;
const KEY_BYTES = 40;
const MOST_HOSTS = 16;
const MOST_TRIES = 16;
/** The real ones have some ten kilobytes, of which hardly any can be written to. */
const MOST_PROGRAM_BYTES = 64 * 1024;
const MOST_DATA_BYTES = 8 * 1024;
/** How far behind the beginning of its block a key is looked for. */
const MOST_KEY_DISTANCE = 1024;

const ENTRY = /^(HOST|PORT|DNS|TOR)(\d?):(.{0,255})$/;

export const systembc: Extractor = {
  family: 'systembc',
  category: 'BOT',
  pages: {
    systembc: {
      name: 'SystemBC',
      reads: 'servers and port, DNS servers, whether Tor is used',
      versions:
        'for Windows, plain or XORed with 40 bytes; unverified, for want of published detail',
      proof:
        'the mark of the block, then its entries by their names, with a host and a port (told as heuristic: the layout itself is unverified)',
      notCovered: 'for Linux; other keys and layouts',
      references: [
        'https://www.proofpoint.com/us/threat-insight/post/systembc-christmas-july-socks5-malware-and-exploit-kits',
        'https://news.sophos.com/en-us/2020/12/16/systembc/',
      ],
    },
  },

  matches: (subject) =>
    xorHits(subject, SYSTEMBC_NEEDLES).length > 0 ||
    (subject.bytes.length <= MOST_PROGRAM_BYTES && nativeProgram(subject) !== undefined),

  extract(subject, budget) {
    for (const { offset, key } of xorHits(subject, SYSTEMBC_NEEDLES).slice(0, MOST_TRIES)) {
      const block = unXor(subject.bytes.subarray(offset, offset + BLOCK_BYTES), key);
      const found = describe(block, offset);
      if (found !== undefined) return found;
    }
    return sealedBlock(subject, budget);
  },
};

function sealedBlock(subject: Subject, budget: Budget): Extraction | Recognition | undefined {
  const { bytes } = subject;
  if (bytes.length > MOST_PROGRAM_BYTES) return undefined;
  for (const { start, end } of nativeProgram(subject)?.partsWith(SECTION_WRITE) ?? []) {
    const last = Math.min(end, start + MOST_DATA_BYTES) - BEGINNING.length;
    for (let at = start; at < last && (at % 1024 !== 0 || !budget.isOver()); at += 1) {
      for (const keyAt of keysOf(bytes, at, { start, end })) {
        const found = unsealed(bytes, at, keyAt);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

/** Behind a block its key follows; a block behind its key may fill the rest. */
function unsealed(bytes: Buffer, at: number, keyAt: number): Extraction | Recognition | undefined {
  const key = bytes.subarray(keyAt, keyAt + KEY_BYTES);
  const block = bytes.subarray(at, keyAt > at ? keyAt : at + BLOCK_BYTES);
  return describe(unXorCyclic(block, key), at);
}

const BEGINNING_BYTES = Buffer.from(BEGINNING, 'latin1');

/**
 * Where a key stands under which a block would begin at `at`: right before it, or somewhere behind. Zeros between the
 * entries show pieces of the key, so that the first place may be one of these.
 */
function* keysOf(
  bytes: Buffer,
  at: number,
  { start, end }: { start: number; end: number },
): Generator<number> {
  // Zeros are room that was never filled; looking for a key to each of them would take long.
  if (bytes[at] === 0 && bytes[at + 1] === 0) return;
  const keyBegins = BEGINNING_BYTES.map((byte, place) => byte ^ (bytes[at + place] ?? 0));
  const before = at - KEY_BYTES;
  if (before >= start && bytes.subarray(before, before + keyBegins.length).equals(keyBegins))
    yield before;
  const behind = bytes.subarray(at + KEY_BYTES, Math.min(at + MOST_KEY_DISTANCE, end));
  let found = behind.indexOf(keyBegins);
  for (let tries = 0; found !== -1 && tries < MOST_TRIES; tries += 1) {
    yield at + KEY_BYTES + found;
    found = behind.indexOf(keyBegins, found + 1);
  }
}

function unXorCyclic(bytes: Buffer, key: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, place) => byte ^ (key[place % key.length] ?? 0)));
}

/** Reads entries up to the first that is none. */
function describe(block: Buffer, offset: number): Extraction | Recognition | undefined {
  const [mark, ...texts] = block.toString('latin1').split(/\0+/);
  if (mark !== 'BEGINDATA') return undefined;
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

/** All names and no value: what the builder starts from. */
function templateOf(entries: ReadonlyMap<string, string>, offset: number): Recognition | undefined {
  const isTemplate = entries.get('HOST1') === '' && entries.get('PORT1') === '';
  return isTemplate ? { unread: 'template that was never built', offset } : undefined;
}

/** Each host with the port of its number, or the first. */
function serversOf(entries: ReadonlyMap<string, string>): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (let number = 1; number <= MOST_HOSTS; number += 1) {
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
