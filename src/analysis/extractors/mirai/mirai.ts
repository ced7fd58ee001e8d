import type { XorHit } from '../../codecs/xor-search.ts';
import { isElf } from '../../formats/elf/layout.ts';
import type { Extraction, Extractor, Recognition } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';
import { MIRAI_NEEDLES, xorHits } from '../xor-needles.ts';
import { assignPorts, dropAmbiguousPorts, separatePorts, serversOf, usageOf } from './servers.ts';
import { type Entry, layoutOf, readEntries, type Table } from './table.ts';

/**
 * Mirai and its derivatives keep their strings in a table. Each is XORed with one byte (the four
 * bytes of `table_key` XORed with each other: deadbeef gives 22):
 *
 *   text ^ key | 00 ^ key | 00 | padding to a multiple of four in some builds
 *
 * | entry, in the order of the source | form |
 * |---|---|
 * | C2 server, its port | name; two bytes, big-endian, without terminator |
 * | server that receives scan results, its port | the same |
 * | strings that identify other bots | text |
 * | login dialogue | `/bin/busybox MIRAI`, answered by `MIRAI: applet not found` |
 *
 * A byte of a text that equals the key is encoded as zero, which makes the text look like two.
 * Compilers put long texts, and texts that contain a zero, in separate sections; then the port no
 * longer follows its server.
 *
 * References: https://synthesis.to/2021/06/30/automating_string_decryption.html; "Understanding the
 * Mirai Botnet", USENIX Security 2017.
 */
/** Four words under one key were never seen by chance. */
const MIN_WORDS = 4;
const SPECIFIC_WORDS: ReadonlySet<string> = new Set(['/bin/busybox', 'applet not found', '/proc/']);
/** Maximum distance between words of one table. */
const WINDOW = 4096;
const MAX_TABLE_BYTES = 64 * 1024;

export const mirai: Extractor = {
  family: 'mirai',
  category: 'BOT',
  tags: {
    TELNET_SCANNER: [6, 'Tries passwords on other devices'],
    DDOS_ATTACKS: [7, 'Has the names of DDoS attacks'],
  },
  pages: {
    mirai: {
      name: 'Mirai',
      reads: 'servers and their ports, the name of the botnet, the key of the table',
      versions:
        'tables with any single-byte key, for any processor; also packed with UPX whose markers were erased',
      proof:
        'four words of the table with the same key, and a name or address that is a whole string',
      notCovered:
        'addresses stored as numbers in code; tables encrypted with RC4, ChaCha20, XTEA or a key of several bytes; tables of arrays without a zero between them; a port that is stored separately from its server because one of its bytes equals the key or the linker merged two equal ports',
      references: [
        'https://synthesis.to/2021/06/30/automating_string_decryption.html',
        'https://www.usenix.org/conference/usenixsecurity17/technical-sessions/presentation/antonakakis',
      ],
    },
  },

  matches: ({ bytes }) => isElf(bytes),

  extract(subject) {
    const table = findTable(xorHits(subject, MIRAI_NEEDLES));
    if (table === undefined) return undefined;
    const start = Math.max(0, table.start - WINDOW);
    return read(readEntries(subject, start, table.end + WINDOW, table.key), table);
  },
};

/** The first group of words under one key. */
function findTable(hits: readonly XorHit[]): Table | undefined {
  const byKey = Map.groupBy(hits, ({ key }) => key);
  byKey.delete(0);
  for (const [key, ofKey] of byKey) {
    const group = neighbours(ofKey).find(isTable);
    const [first, last] = [group?.[0], group?.at(-1)];
    if (first && last) {
      const end = Math.min(last.offset + last.needle.length, first.offset + MAX_TABLE_BYTES);
      return { key, start: first.offset, end };
    }
  }
  return undefined;
}

function neighbours(hits: readonly XorHit[]): XorHit[][] {
  const groups: XorHit[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const hit of hits) {
    if (hit.offset - last > WINDOW) groups.push([]);
    groups.at(-1)?.push(hit);
    last = hit.offset;
  }
  return groups;
}

function isTable(hits: readonly XorHit[]): boolean {
  const words = new Set(hits.map(({ needle }) => needle));
  return words.size >= MIN_WORDS && [...words].some((word) => SPECIFIC_WORDS.has(word));
}

function read(entries: readonly Entry[], table: Table): Extraction | Recognition {
  const { key } = table;
  const layout = layoutOf(entries, table);
  const named = serversOf(entries, layout);
  const ports = separatePorts(named, entries, table);
  // If the key is a character of host names, entries may be missed, so ports cannot be assigned.
  const servers = dropAmbiguousPorts(
    layout.keyCharacter === '' ? assignPorts(named, ports) : named,
    layout,
  );
  const certain = servers.filter(({ isCertain }) => isCertain);
  const offset = (certain[0] ?? servers[0])?.offset ?? table.start;
  if (certain.length === 0) return { unread: servers.length === 0 ? NO_SERVER : UNCERTAIN, offset };
  return {
    endpoints: certain.map((server) => {
      const { host, port } = server;
      return { protocol: 'tcp', usage: usageOf(server, servers, { ports, layout }), host, port };
    }),
    other: otherSettings({
      'Botnet Name': nameOf(entries),
      'Table Key': `0x${key.toString(16).padStart(2, '0')}`,
    }),
    capabilities: capabilitiesOf(entries),
    offset,
  };
}

const NO_SERVER = 'no server in the table';
const UNCERTAIN = 'it is not certain where the name of the server begins';

const ANSWER = /^([\w.-]{1,32}): applet not found$/;
const COMMAND = /^\/bin\/busybox ([\w.-]{1,32})$/;

/** The bot runs a command that no device has, and the error shows its name. */
function nameOf(entries: readonly Entry[]): string | undefined {
  const inAnswer = entries.map(({ text }) => ANSWER.exec(text)?.[1]).find(Boolean);
  const inCommand = entries.flatMap(({ text }) => COMMAND.exec(text)?.[1] ?? []);
  return inAnswer ?? inCommand.find((word) => word === word.toUpperCase());
}

function capabilitiesOf(entries: readonly Entry[]): string[] {
  const has = (word: string) => entries.some(({ text }) => text.includes(word));
  return [
    ...(has('ncorrect') || has('assword') ? ['TELNET_SCANNER'] : []),
    ...(has('Source Engine Query') ? ['DDOS_ATTACKS'] : []),
  ];
}
