import { unXor, type XorHit } from '../xor-search.ts';
import type { Endpoint, Extraction, Extractor, Recognition } from './extractor.ts';
import { MOST_ENDPOINTS, otherSettings } from './shared/addresses.ts';
import { botHost, isElf } from './shared/bots.ts';
import { MIRAI_NEEDLES, xorHits } from './shared/xor-needles.ts';

/**
 * Mirai and the bots that were made of it keep their texts in a table, each XORed with one byte (the four bytes of a
 * `table_key`, XORed with each other: deadbeef gives 22):
 *
 *   text ^ key | 00 ^ key | 00, then perhaps zeros up to a multiple of four
 *
 * In the order of the source stand the name of the server and its port (two bytes, big-endian, without an end), the name of
 * the server that takes what the scanner found and its port, words for the search for other bots, then what is said to a
 * device to get in: "/bin/busybox MIRAI", which answers "MIRAI: applet not found".
 * A byte of a text that equals the key is a zero there, so that such a text seems to be two.
 * Compilers put long texts, and texts with a zero within, in another place than the short ones, each kind in its order:
 * then the port no longer follows its server.
 *
 * Reference: https://synthesis.to/2021/06/30/automating_string_decryption.html; on the family, "Understanding the Mirai
 * Botnet", USENIX Security 2017.
 */
/** Under one key by chance: never seen of four, and these are no words that anybody writes in capitals. */
const LEAST_WORDS = 4;
const TELLING_WORDS: ReadonlySet<string> = new Set(['/bin/busybox', 'applet not found', '/proc/']);
/** Entries of a table lie so near to each other. */
const WINDOW = 4096;
const MAX_TABLE_BYTES = 64 * 1024;
const MAX_PIECES = 4;
const LONGEST_HOST = 253;
const SCANNER_PORT = 48_101;

export const mirai: Extractor = {
  family: 'mirai',
  category: 'BOT',
  tags: {
    TELNET_SCANNER: [6, 'Tries passwords on other devices'],
    DDOS_ATTACKS: [7, 'Has the texts of attacks that flood others'],
  },
  pages: {
    mirai: {
      name: 'Mirai',
      reads: 'servers and their ports, the name of the botnet, the key of the table',
      versions:
        'tables under any single-byte key, of any machine; also inside of UPX with erased marks',
      proof:
        'four words of the table under the same key, a name or address that ends where a text ends',
      notCovered:
        'addresses that are numbers in code, tables under RC4, ChaCha20, XTEA or keys of several bytes, tables of arrays without a zero between them; a port away from its server where a byte of it equals the key, or where the linker has merged two that are alike',
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
    const region = subject.bytes.subarray(start, table.end + WINDOW);
    return read(entriesOf(region, start, table.key), table);
  },
};

interface Table {
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

/** The first place where enough words stand together under one key. */
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
  return words.size >= LEAST_WORDS && [...words].some((word) => TELLING_WORDS.has(word));
}

interface Entry {
  readonly offset: number;
  readonly plain: Buffer;
  /** Without its end. */
  readonly text: string;
  /** Whether a zero that was XORed with the rest ends it. */
  readonly isEnded: boolean;
  /** Whether but one zero stands between it and the next. */
  readonly isNextNear: boolean;
  readonly zerosBefore: number;
}

/** How the entries of one table are written. */
interface Layout {
  readonly key: number;
  /** What the key is as a sign of a name; empty where no name can hold it. */
  readonly sign: string;
  /** Whether each begins at a multiple of four. */
  readonly isAligned: boolean;
  /** Whether texts have an end of their own. */
  readonly hasEnds: boolean;
}

const HOST_SIGNS = /^[a-z0-9.-]+$/i;
const MOST_ALIGNED = 0.8;
/** Signs at the beginning of a text that equal the key and so are lost among the zeros. */
const MOST_LOST = 3;

function layoutOf(entries: readonly Entry[], { key, start, end }: Table): Layout {
  const within = entries.filter(({ offset }) => offset >= start && offset < end);
  const aligned = within.filter(({ offset }) => offset % 4 === 0);
  const sign = String.fromCharCode(key);
  return {
    key,
    sign: HOST_SIGNS.test(sign) ? sign : '',
    isAligned: aligned.length > within.length * MOST_ALIGNED,
    hasEnds: within.filter(({ isEnded }) => isEnded).length >= LEAST_WORDS,
  };
}

function lostSigns({ offset, zerosBefore: zeros }: Entry, { sign, isAligned }: Layout): string {
  const count = isAligned ? offset % 4 : zeros - 1;
  return count > 0 && count <= MOST_LOST && count < zeros ? sign.repeat(count) : '';
}

function entriesOf(region: Buffer, start: number, key: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < region.length; ) {
    if (region[at] === 0) {
      at += 1;
      continue;
    }
    const zero = region.indexOf(0, at);
    const end = zero === -1 ? region.length : zero;
    const plain = unXor(region.subarray(at, end), key);
    const isEnded = plain.at(-1) === 0;
    entries.push({
      offset: start + at,
      plain,
      text: plain.toString('latin1', 0, plain.length - (isEnded ? 1 : 0)),
      isEnded,
      isNextNear: end + 1 < region.length && region[end + 1] !== 0,
      zerosBefore: zerosBefore(region, at),
    });
    at = end;
  }
  return entries;
}

function zerosBefore(region: Buffer, at: number): number {
  let first = at;
  while (first > 0 && at - first < MOST_LOST + 2 && region[first - 1] === 0) first -= 1;
  return at - first;
}

function read(entries: readonly Entry[], table: Table): Extraction | Recognition {
  const { key } = table;
  const layout = layoutOf(entries, table);
  const servers = withLonePorts(serversOf(entries, layout), { entries, layout, table });
  const offset = servers[0]?.offset ?? table.start;
  if (servers.length === 0) return { unread: 'no server in the table', offset };
  const other = reporting(servers);
  return {
    endpoints: servers.map((server) => endpointOf(server, server === other)),
    other: otherSettings({
      'Botnet Name': nameOf(entries),
      'Table Key': `0x${key.toString(16).padStart(2, '0')}`,
    }),
    capabilities: capabilitiesOf(entries),
    offset,
  };
}

interface Server {
  readonly host: string;
  readonly port: number | undefined;
  readonly offset: number;
  /** Of the entry behind it, which is its port if it has one. */
  readonly next: number;
}

function serversOf(entries: readonly Entry[], layout: Layout): Server[] {
  const servers: Server[] = [];
  const known = new Set<string>();
  for (let index = 0; index < entries.length && servers.length < MOST_ENDPOINTS; ) {
    const found = hostAt(entries, index, layout);
    const server = found && {
      host: found.host,
      port: portOf(entries[found.next], layout),
      offset: entries[index]?.offset ?? 0,
      next: found.next,
    };
    index = found?.next ?? index + 1;
    const name = `${server?.host} ${server?.port}`;
    if (server === undefined || known.has(name)) continue;
    known.add(name);
    servers.push(server);
  }
  return servers;
}

/** The host that begins there, with the place of the entry behind it. */
function hostAt(entries: readonly Entry[], index: number, layout: Layout) {
  const first = entries[index];
  if (first === undefined || (layout.hasEnds && isContinued(entries[index - 1], first, layout)))
    return undefined;
  let text = lostSigns(first, layout);
  for (const [place, entry] of entries.slice(index, index + MAX_PIECES).entries()) {
    text += entry.text;
    if (entry.isEnded || !layout.hasEnds) {
      const host = botHost(text) ?? hostBehindCode(text, place);
      return host === undefined ? undefined : { host, next: index + place + 1 };
    }
    // A zero between two texts may be a sign of one text that equals the key.
    if (!entry.isNextNear || layout.sign === '') return undefined;
    text += layout.sign;
  }
  return undefined;
}

/** The first text of all may follow code without a zero between them. */
function hostBehindCode(text: string, place: number): string | undefined {
  if (place > 0) return undefined;
  const [name = '', sign] = /([^a-z0-9.-])?[a-z0-9.-]+$/i.exec(text.slice(-LONGEST_HOST)) ?? [];
  const isBehindCode = sign !== undefined && /[^ -~]/.test(text);
  return isBehindCode ? botHost(name.slice(1)) : undefined;
}

/** Whether it is the rest of a name: a zero after a text that does not end may be one of its signs. */
function isContinued(
  before: Entry | undefined,
  { zerosBefore: zeros }: Entry,
  { sign, hasEnds }: Layout,
): boolean {
  if (before === undefined || before.isEnded || zeros !== 1 || !hasEnds) return false;
  // Ports have no end.
  return sign !== '' && before.plain.length !== 2 && HOST_SIGNS.test(before.text);
}

function portOf(entry: Entry | undefined, layout: Layout): number | undefined {
  if (entry === undefined || entry.plain.length > 2) return undefined;
  const bytes = entry.plain.length === 2 ? entry.plain : restoredPort(entry, layout);
  return bytes?.readUInt16BE(0) || undefined;
}

interface Around {
  readonly entries: readonly Entry[];
  readonly layout: Layout;
  readonly table: Table;
}

/** Ports that stand apart belong to the servers without one, in their order, if there are as many. */
function withLonePorts(servers: readonly Server[], { entries, layout, table }: Around): Server[] {
  const claimed = new Set(servers.flatMap(({ port, next }) => (port === undefined ? [] : [next])));
  const from = (servers[0]?.offset ?? table.start) - WIDEST_PORT;
  const ports = entries.flatMap((entry, index) =>
    entry.offset >= from &&
    entry.offset < table.end &&
    !claimed.has(index) &&
    isLonePort(entry, entries[index + 1])
      ? (portOf(entry, layout) ?? [])
      : [],
  );
  const without = servers.filter(({ port }) => port === undefined).length;
  if (ports.length !== without) return [...servers];
  let taken = 0;
  return servers.map((server) =>
    server.port === undefined ? { ...server, port: ports[taken++] } : server,
  );
}

/** A port with what is between it and the next entry. */
const WIDEST_PORT = 4;

/** Two bytes without an end, before a text that has one; no piece of a text that lost a sign. */
function isLonePort({ plain, text, isEnded }: Entry, next: Entry | undefined): boolean {
  if (plain.length !== 2 || isEnded || READABLE.test(text)) return false;
  return next?.isEnded === true && READABLE.test(next.text);
}

const READABLE = /^[ -~]{2,}$/;

/** A byte of it that equals the key is a zero there, before the other or behind it. */
function restoredPort(entry: Entry, { key, isAligned }: Layout): Buffer | undefined {
  const { plain, offset, zerosBefore: zeros } = entry;
  const [left = 0] = plain;
  const lost = isAligned ? offset % 4 : zeros - 1;
  // An empty text is nothing but its end, and looks the same.
  if (left === 0 || lost < 0 || lost > 1) return undefined;
  return Buffer.from(lost === 1 ? [key, left] : [left, key]);
}

/** Of two, the second takes what the scanner finds, unless the ports say that it is the other way around. */
function reporting(servers: readonly Server[]): Server | undefined {
  if (servers.length < 2) return undefined;
  const known = servers.findLast(({ port }) => port === SCANNER_PORT);
  const haveAllPorts = servers.every(({ port }) => port !== undefined);
  return known ?? (servers.length === 2 && haveAllPorts ? servers[1] : undefined);
}

function endpointOf({ host, port }: Server, isReporting: boolean): Endpoint {
  return { protocol: 'tcp', usage: isReporting ? 'upload' : 'c2', host, port };
}

const ANSWER = /^([\w.-]{1,32}): applet not found$/;
const QUESTION = /^\/bin\/busybox ([\w.-]{1,32})$/;

/** What a device is asked for that it does not have, so that its answer is known. */
function nameOf(entries: readonly Entry[]): string | undefined {
  const answered = entries.map(({ text }) => ANSWER.exec(text)?.[1]).find(Boolean);
  const asked = entries.flatMap(({ text }) => QUESTION.exec(text)?.[1] ?? []);
  return answered ?? asked.find((word) => word === word.toUpperCase());
}

function capabilitiesOf(entries: readonly Entry[]): string[] {
  const has = (word: string) => entries.some(({ text }) => text.includes(word));
  return [
    ...(has('ncorrect') || has('assword') ? ['TELNET_SCANNER'] : []),
    ...(has('Source Engine Query') ? ['DDOS_ATTACKS'] : []),
  ];
}
