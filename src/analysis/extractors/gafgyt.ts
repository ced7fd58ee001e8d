import { isElf } from '../formats/elf/layout.ts';
import { StringRuns } from '../strings.ts';
import { MAX_ENDPOINTS, parseHostPort } from './endpoints/addresses.ts';
import { parseBotHost } from './endpoints/hosts.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';

/**
 * Gafgyt (Bashlite, Lizkebab, Qbot for Linux) has its servers as plain texts among those that it speaks with them:
 *
 *   "192.0.2.1:23" 00                 the list of servers; in some builds without the port, which is then in code
 *   "PING" 00 "PONG!" 00 "GETLOCALIP" 00 "My IP: %s" 00 "SCANNER" 00 "KILLATTK" 00 "Killed %d." 00 …
 *
 * There is nothing to check the address by: that the texts are whole ones, and many, makes it likely.
 * Early variants keep it as a text, later ones as a number in code.
 * Reference: https://malpedia.caad.fkie.fraunhofer.de/details/elf.bashlite
 */
const COMMON_WORDS = ['PING', 'PONG', 'PONG!', 'UDP', 'TCP', 'HOLD', 'JUNK', '%s 2>&1', 'SCANNER'];
/** Nobody else has these. */
const OWN_WORDS = ['GETLOCALIP', 'KILLATTK', 'LOLNOGTFO'];
/** Another program may have one of the rest. */
const TELLING_WORDS = [...OWN_WORDS, 'My IP: %s', 'None Killed.', 'Killed %d.', 'SCANNER ON | OFF'];
const LEAST_WORDS = 5;
const LEAST_TELLING = 2;
/** Bots are far smaller. */
const MAX_BYTES = 8 * 1024 * 1024;
const WINDOW = 16 * 1024;
const MAX_REGION = 256 * 1024;
/** Asked for the way to them, to learn the own address. */
const RESOLVERS: ReadonlySet<string> = new Set(['8.8.8.8', '8.8.4.4', '1.1.1.1', '4.2.2.2']);

export const gafgyt: Extractor = {
  family: 'gafgyt',
  category: 'BOT',
  tags: { DDOS_COMMANDS: [7, 'Takes commands to flood others'] },
  pages: {
    gafgyt: {
      name: 'Gafgyt',
      reads: 'servers and their ports',
      versions: 'builds with plain texts, of any machine; also inside of UPX with erased marks',
      proof:
        'none: five of the texts it speaks with, one of its own commands among them, and a text that is an address (told as heuristic)',
      notCovered: 'addresses that are numbers in code, encoded texts',
      references: ['https://malpedia.caad.fkie.fraunhofer.de/details/elf.bashlite'],
    },
  },

  matches: ({ bytes }) => isElf(bytes) && bytes.length <= MAX_BYTES,

  extract({ bytes }) {
    // One look tells most programs apart.
    if (!bytes.includes('PONG') || placesOf(bytes, OWN_WORDS).length === 0) return undefined;
    const telling = placesOf(bytes, TELLING_WORDS);
    if (telling.length < LEAST_TELLING) return undefined;
    const places = [...telling, ...placesOf(bytes, COMMON_WORDS)];
    if (places.length < LEAST_WORDS) return undefined;
    return read(bytes, telling);
  },
};

/** Where each of the words stands as a whole text, if it does. */
function placesOf(bytes: Buffer, words: readonly string[]): number[] {
  return words.map((word) => wholeText(bytes, word)).filter((place) => place !== -1);
}

const MAX_TRIES = 64;

function wholeText(bytes: Buffer, word: string): number {
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

function read(bytes: Buffer, places: readonly number[]): Extraction | Recognition {
  const start = Math.max(0, Math.min(...places) - WINDOW);
  const region = bytes.subarray(start, Math.min(Math.max(...places) + WINDOW, start + MAX_REGION));
  const texts = wholeTexts(region);
  const addresses = endpoints(texts.map(withPort));
  const found = addresses.length > 0 ? addresses : endpoints(texts.map(withoutPort));
  const offset = Math.min(...places);
  if (found.length === 0) return { unread: 'no server among its texts', offset };
  return { endpoints: found, capabilities: ['DDOS_COMMANDS'], heuristic: true, offset };
}

const LONGEST_TEXT = 260;

/** Texts that a zero follows. */
function wholeTexts(region: Buffer): string[] {
  const texts: string[] = [];
  const runs = new StringRuns(region);
  while (runs.next()) {
    const isWhole = !runs.wide && region[runs.end] === 0 && runs.end - runs.start <= LONGEST_TEXT;
    if (isWhole) texts.push(region.toString('latin1', runs.start, runs.end));
  }
  return texts;
}

function withPort(text: string): Endpoint | undefined {
  const { host: stated = '', port } = parseHostPort(text) ?? {};
  const host = parseBotHost(stated);
  return host === undefined ? undefined : { protocol: 'tcp', usage: 'c2', host, port };
}

/** Only addresses: a name by itself may be anything. */
function withoutPort(text: string): Endpoint | undefined {
  const host = /^[\d.]+$/.test(text) && !RESOLVERS.has(text) ? parseBotHost(text) : undefined;
  return host === undefined ? undefined : { protocol: 'tcp', usage: 'c2', host };
}

function endpoints(found: readonly (Endpoint | undefined)[]): Endpoint[] {
  const unique = new Map(found.flatMap((one) => (one ? [[`${one.host} ${one.port}`, one]] : [])));
  return [...unique.values()].slice(0, MAX_ENDPOINTS);
}
