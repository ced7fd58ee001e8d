import { unXor, type XorHit } from '../../codecs/xor-search.ts';
import { isElf } from '../../formats/elf/layout.ts';
import type { Subject } from '../../subject.ts';
import { agreedSettings } from '../endpoints/agreed-settings.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from '../extractor.ts';
import { otherSettings } from '../setting-texts.ts';
import { MIRAI_NEEDLES, xorHits } from '../xor-needles.ts';
import { copiesIn } from './code/copies.ts';
import { copiedTables, wordsOf } from './copied-table.ts';
import { areInOrder, isHostCharacter, placedServers } from './layout-servers.ts';
import { copiedServers, isFirstKnown, type ServerList, usageOf } from './servers.ts';
import { layoutOf, readEntries, type Table } from './table.ts';

/**
 * Mirai and its derivatives keep their strings in a table. Each is XORed with one byte (the four
 * bytes of `table_key` XORed with each other: deadbeef gives 22):
 *
 *   text ^ key | 00 ^ key | 00 | padding to a multiple of four or eight in some builds
 *
 * | entry, in the order of the source | form |
 * |---|---|
 * | C2 server, its port | name; two bytes, big-endian, without terminator |
 * | server that receives scan results, its port | the same |
 * | strings that identify other bots | text |
 * | login dialogue | `/bin/busybox MIRAI`, answered by `MIRAI: applet not found` |
 *
 * The texts alone do not tell where one starts. A byte that equals the key is encoded as zero, so a
 * zero may be a character; the data before a text may decode to letters; compilers put long texts
 * and texts that contain a zero in separate sections, and linkers let a text share the bytes of
 * another that ends with it. So the entries are taken from the code that fills the table, one call
 * for each, in the order of the source:
 *
 *   add_entry(number, text, length)    or, inlined,    memcpy(buffer, text, length)
 *
 * If the code is not understood, the layout of the texts is used as far as it allows one
 * interpretation only.
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
/** Programs have one. Others may be decoys. */
const MAX_TABLES = 8;

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
        'tables with any single-byte key; from the code for x86, ARM, MIPS, PowerPC and 68000 processors, of 32 bits and for x86 and ARM also of 64, otherwise from the layout of the texts; also packed with UPX whose markers were erased',
      proof:
        'four words of the table with the same key, in calls that state start and length of each text; without such code, a name or address directly after another text, and servers and ports in the order of the source',
      notCovered:
        'addresses stored as numbers in code; tables encrypted with RC4, ChaCha20, XTEA or a key of several bytes; tables of arrays without a zero between them; programs that copy the texts without a call; for other processors, keys that are a letter, a digit, a dot or a hyphen, and servers or ports that the compiler moved; tables in which the server for scan results has another port than 48101 or is missing, if the code does not pass the numbers of the entries; tables without that server whose entries have other numbers than the public source; programs with several tables that differ',
      references: [
        'https://synthesis.to/2021/06/30/automating_string_decryption.html',
        'https://www.usenix.org/conference/usenixsecurity17/technical-sessions/presentation/antonakakis',
      ],
    },
  },

  matches: ({ bytes }) => isElf(bytes),

  extract(subject) {
    const hits = xorHits(subject, MIRAI_NEEDLES);
    const tables = findTables(hits);
    const [first] = tables;
    if (first === undefined) return undefined;
    if (tables.length > MAX_TABLES) return { unread: MANY_TABLES, offset: first.start };
    const copied = readCode(subject, tables);
    // Texts that no code uses may be a decoy.
    if (copied.length > 0) return agreedSettings(copied);
    const placed = tables.map((table) => readLayout(subject, table, hits));
    return placed.find((one) => 'unread' in one) ?? agreedSettings(placed);
  },
};

/** Groups of words, each under one key. */
function findTables(hits: readonly XorHit[]): Table[] {
  const byKey = Map.groupBy(hits, ({ key }) => key);
  byKey.delete(0);
  return [...byKey].flatMap(([key, ofKey]) =>
    neighbours(ofKey).flatMap((group) => {
      const [first, last] = [group[0], group.at(-1)];
      if (!first || !last || !isTable(new Set(group.map(({ needle }) => needle)))) return [];
      const end = Math.min(last.offset + last.needle.length, first.offset + MAX_TABLE_BYTES);
      return { key, start: first.offset, end };
    }),
  );
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

function isTable(words: ReadonlySet<string>): boolean {
  return words.size >= MIN_WORDS && [...words].some((word) => SPECIFIC_WORDS.has(word));
}

interface Contents extends ServerList {
  readonly name: string | undefined;
  readonly texts: readonly string[];
}

function settingsOf(contents: Contents, { key, start }: Table): Extraction | Recognition {
  const { servers, name, texts } = contents;
  const offset = servers[0]?.offset ?? start;
  if (servers.length === 0) return { unread: NO_SERVER, offset };
  const endpoints = servers.map((server): Endpoint => {
    const { host, port } = server;
    return { protocol: 'tcp', usage: usageOf(server, contents), host, port };
  });
  if (endpoints.every(({ usage }) => usage === 'other')) return { unread: MOVED, offset };
  return {
    endpoints,
    other: otherSettings({
      'Botnet Name': name,
      'Table Key': `0x${key.toString(16).padStart(2, '0')}`,
    }),
    capabilities: capabilitiesOf(texts),
    offset,
  };
}

/** From the code that fills tables. There is one function for each table. */
function readCode(subject: Subject, tables: readonly Table[]): (Extraction | Recognition)[] {
  const copies = copiesIn(subject);
  const ofKeys = [...new Map(tables.toReversed().map((table) => [table.key, table])).values()];
  return ofKeys.toReversed().flatMap((table) =>
    copiedTables(subject.bytes, copies, table.key)
      .filter((copied) => isTable(wordsOf(copied)))
      .map((copied) => {
        const texts = copied.flatMap(({ text }) => text ?? []);
        const name = nameOf(texts, (one) => texts.includes(`${one}${ANSWER_END}`));
        const servers = copiedServers(copied);
        const hasFirst = isFirstKnown(copied, servers);
        return settingsOf({ servers, hasFirst, name, texts }, table);
      }),
  );
}

/** From the layout of the texts alone. */
function readLayout(
  subject: Subject,
  table: Table,
  hits: readonly XorHit[],
): Extraction | Recognition {
  const { key } = table;
  const start = Math.max(0, table.start - WINDOW);
  const entries = readEntries(subject, start, table.end + WINDOW, key);
  const layout = layoutOf(entries, table);
  const servers = placedServers(entries, layout);
  const offset = servers[0]?.offset ?? table.start;
  if (isHostCharacter(key)) return { unread: ZERO_IN_NAME, offset: table.start };
  if (servers.some(({ isCertain }) => !isCertain)) return { unread: UNCERTAIN_START, offset };
  if (servers.length > 0 && !areInOrder(servers, entries, layout)) return { unread: MOVED, offset };
  const texts = entries.map(({ text }) => text);
  const name = nameAt(subject.bytes, hits, key);
  return settingsOf({ servers, hasFirst: false, name, texts }, table);
}

const MANY_TABLES = 'more tables than a program has';
const NO_SERVER = 'no server in the table';
const ZERO_IN_NAME = 'the key is a character of names, so it is not certain where a server begins';
const UNCERTAIN_START = 'it is not certain where the name of the server begins';
const MOVED = 'it is not certain which server is the C2';

const COMMAND = /^\/bin\/busybox ([\w.-]{1,32})$/;
const COMMAND_START = '/bin/busybox';
const ANSWER_END = ': applet not found';
const MAX_COMMAND_LENGTH = 64;

/**
 * The bot runs a command that no device has, and the error shows its name: one of the commands is
 * also the start of the answer.
 */
function nameOf(
  commands: readonly string[],
  isAnswered: (name: string) => boolean,
): string | undefined {
  return commands.flatMap((text) => COMMAND.exec(text)?.[1] ?? []).find(isAnswered);
}

/** Reads from the start of the command to its terminator: letters that equal the key are zeros. */
function nameAt(bytes: Buffer, hits: readonly XorHit[], key: number): string | undefined {
  const ofKey = hits.filter((hit) => hit.key === key);
  const commands = ofKey
    .filter(({ needle }) => needle === COMMAND_START)
    .map(({ offset }) => {
      const plain = unXor(bytes.subarray(offset, offset + MAX_COMMAND_LENGTH), key);
      return plain.toString('latin1', 0, Math.max(0, plain.indexOf(0)));
    });
  const answers = ofKey
    .filter(({ needle }) => ANSWER_END.endsWith(needle))
    .map(({ offset, needle }) => {
      const start = Math.max(0, offset - MAX_COMMAND_LENGTH);
      return unXor(bytes.subarray(start, offset + needle.length), key).toString('latin1');
    });
  return nameOf(commands, (name) => answers.some((text) => text.endsWith(`${name}${ANSWER_END}`)));
}

function capabilitiesOf(texts: readonly string[]): string[] {
  const has = (word: string) => texts.some((text) => text.includes(word));
  return [
    ...(has('ncorrect') || has('assword') ? ['TELNET_SCANNER'] : []),
    ...(has('Source Engine Query') ? ['DDOS_ATTACKS'] : []),
  ];
}
