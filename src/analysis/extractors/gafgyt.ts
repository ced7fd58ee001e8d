import { isElf } from '../formats/elf/layout.ts';
import { StringRuns } from '../strings.ts';
import { MAX_ENDPOINTS, parseHostPort } from './endpoints/addresses.ts';
import { parseBotHost } from './endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';

/**
 * Gafgyt (Bashlite, Lizkebab, Qbot for Linux) has its servers as plain strings near those of its
 * protocol, all NUL-terminated:
 *
 * | string | meaning |
 * |---|---|
 * | `192.0.2.1:23` | server; some builds have the port in code, later variants the address, too |
 * | `PING`, `PONG!`, `GETLOCALIP`, `My IP: %s` | protocol |
 * | `SCANNER`, `KILLATTK`, `Killed %d.` | commands and their answers |
 *
 * The address cannot be verified. Several complete strings of the protocol make it likely.
 *
 * Reference: https://malpedia.caad.fkie.fraunhofer.de/details/elf.bashlite
 */
const COMMON_WORDS = ['PING', 'PONG', 'PONG!', 'UDP', 'TCP', 'HOLD', 'JUNK', '%s 2>&1', 'SCANNER'];
/** Specific to the family. */
const OWN_WORDS = ['GETLOCALIP', 'KILLATTK', 'LOLNOGTFO'];
/** Another program may have one of these by chance. */
const RARE_WORDS = [...OWN_WORDS, 'My IP: %s', 'None Killed.', 'Killed %d.', 'SCANNER ON | OFF'];
const MIN_WORDS = 5;
const MIN_RARE_WORDS = 2;
/** Real bots are far smaller. */
const MAX_BYTES = 8 * 1024 * 1024;
const WINDOW = 16 * 1024;
const MAX_REGION = 256 * 1024;
/** The bot connects to these to learn its own address. */
const PUBLIC_RESOLVERS: ReadonlySet<string> = new Set(['8.8.8.8', '8.8.4.4', '1.1.1.1', '4.2.2.2']);

export const gafgyt: Extractor = {
  family: 'gafgyt',
  category: 'BOT',
  tags: { DDOS_COMMANDS: [7, 'Takes commands to flood others'] },
  pages: {
    gafgyt: {
      name: 'Gafgyt',
      reads: 'servers and their ports',
      versions:
        'builds with plain strings, for any processor; also packed with UPX whose markers were erased',
      proof:
        'none (reported as heuristic): five strings of its protocol, including one of its own commands, and a string that is an address',
      notCovered: 'addresses stored as numbers in code; encoded strings',
      references: ['https://malpedia.caad.fkie.fraunhofer.de/details/elf.bashlite'],
    },
  },

  matches: ({ bytes }) => isElf(bytes) && bytes.length <= MAX_BYTES,

  extract({ bytes }) {
    // This rejects most programs.
    if (!bytes.includes('PONG') || offsetsOf(bytes, OWN_WORDS).length === 0) return undefined;
    const rare = offsetsOf(bytes, RARE_WORDS);
    if (rare.length < MIN_RARE_WORDS) return undefined;
    const all = [...rare, ...offsetsOf(bytes, COMMON_WORDS)];
    if (all.length < MIN_WORDS) return undefined;
    return read(bytes, rare);
  },
};

/** Offsets of the words that occur as complete strings. */
function offsetsOf(bytes: Buffer, words: readonly string[]): number[] {
  return words.map((word) => findString(bytes, word)).filter((offset) => offset !== -1);
}

const MAX_TRIES = 64;

function findString(bytes: Buffer, word: string): number {
  const needle = Buffer.from(`${word}\0`, 'latin1');
  let at = bytes.indexOf(needle);
  for (let tries = 0; at !== -1 && tries < MAX_TRIES; tries += 1) {
    if (at === 0 || !isPrintable(bytes[at - 1] as number)) return at;
    at = bytes.indexOf(needle, at + 1);
  }
  return -1;
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7e;
}

function read(bytes: Buffer, offsets: readonly number[]): Extraction | Recognition {
  const start = Math.max(0, Math.min(...offsets) - WINDOW);
  const region = bytes.subarray(start, Math.min(Math.max(...offsets) + WINDOW, start + MAX_REGION));
  const texts = stringsIn(region);
  const addresses = endpoints(texts.map(withPort));
  const found = addresses.length > 0 ? addresses : endpoints(texts.map(withoutPort));
  const offset = Math.min(...offsets);
  if (found.length === 0) return { unread: 'no server among its texts', offset };
  return { endpoints: found, capabilities: ['DDOS_COMMANDS'], heuristic: true, offset };
}

const MAX_STRING_LENGTH = 260;

/** NUL-terminated strings. */
function stringsIn(region: Buffer): string[] {
  const texts: string[] = [];
  const runs = new StringRuns(region);
  while (runs.next()) {
    const isString =
      !runs.wide && region[runs.end] === 0 && runs.end - runs.start <= MAX_STRING_LENGTH;
    if (isString) texts.push(region.toString('latin1', runs.start, runs.end));
  }
  return texts;
}

function withPort(text: string): Endpoint | undefined {
  const { host: stated = '', port } = parseHostPort(text) ?? {};
  const host = parseBotHost(stated);
  const isServer = host !== undefined && !PUBLIC_RESOLVERS.has(host);
  return isServer ? { protocol: 'tcp', usage: 'c2', host, port } : undefined;
}

/** IP addresses only: a bare name may be any word. */
function withoutPort(text: string): Endpoint | undefined {
  const host =
    /^[\d.]+$/.test(text) && !PUBLIC_RESOLVERS.has(text) ? parseBotHost(text) : undefined;
  return host === undefined ? undefined : { protocol: 'tcp', usage: 'c2', host };
}

function endpoints(found: readonly (Endpoint | undefined)[]): Endpoint[] {
  const unique = new Map(found.flatMap((one) => (one ? [[`${one.host} ${one.port}`, one]] : [])));
  return [...unique.values()].slice(0, MAX_ENDPOINTS);
}
