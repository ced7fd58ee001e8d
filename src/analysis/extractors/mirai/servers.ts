import { MAX_ENDPOINTS } from '../endpoints/addresses.ts';
import { parseBotHost } from '../endpoints/hosts.ts';
import type { Endpoint } from '../extractor.ts';
import {
  type Entry,
  HOST_CHARACTERS,
  isPortAfter,
  kindOf,
  type Layout,
  PORT_BYTES,
  startAfter,
  type Table,
  type TextKind,
  textStartOf,
} from './table.ts';

/** Finds the servers of a Mirai table, their ports and their usage. */
const MAX_PIECES = 12;
const MAX_HOST_LENGTH = 253;
const SCANNER_PORT = 48_101;

export interface Server {
  readonly host: string;
  readonly port: number | undefined;
  readonly offset: number;
  readonly index: number;
  readonly kind: TextKind;
  /** Index of the next entry, which is the port if there is one. */
  readonly next: number;
  /**
   * Whether the start of the name is certain: under the key, bytes before it may decode to letters.
   */
  readonly isCertain: boolean;
}

export function serversOf(entries: readonly Entry[], layout: Layout): Server[] {
  const servers: Server[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < entries.length && servers.length < MAX_ENDPOINTS; ) {
    const found = hostAt(entries, index, layout);
    // Ports are short entries. They follow another kind only if the table keeps the source order.
    const hasPort = found?.kind === 'short' || layout.isInOrder;
    const server = found && {
      host: found.host,
      port: hasPort ? portAfter(entries, found.next, layout) : undefined,
      offset: entries[index]?.offset ?? 0,
      index,
      kind: found.kind,
      next: found.next,
      isCertain: found.isCertain,
    };
    index = found?.next ?? index + 1;
    const name = `${server?.host} ${server?.port}`;
    if (server === undefined || seen.has(name)) continue;
    seen.add(name);
    servers.push(server);
  }
  return servers;
}

interface FoundHost {
  readonly host: string;
  readonly kind: TextKind;
  /** Index of the next entry. */
  readonly next: number;
  readonly isCertain: boolean;
}

/** The host that starts at this entry. */
function hostAt(entries: readonly Entry[], index: number, layout: Layout): FoundHost | undefined {
  const first = entries[index];
  if (
    first === undefined ||
    (layout.hasTerminators && isContinued(entries[index - 1], first, layout))
  )
    return undefined;
  const start = textStartOf(entries, index, layout);
  const pieces = piecesAt(entries, index, layout);
  if (pieces === undefined) return undefined;
  const next = index + pieces.length;
  const text = layout.keyCharacter.repeat(start.lost) + joined(pieces, layout);
  const host = parseBotHost(text);
  if (host === undefined) {
    // The first text may follow code without a zero between them.
    const afterCode = pieces.length === 1 ? hostAfterCode(text) : undefined;
    const kind = kindOf(text, layout);
    return afterCode === undefined ? undefined : { host: afterCode, kind, next, isCertain: false };
  }
  // Without terminators, a zero that encodes a character looks like the end of the name.
  const isWhole = layout.hasTerminators || layout.keyCharacter === '';
  // A port before a name looks like its first two characters.
  const followsTable = start.followsTerminator && first.plain.length > 2;
  const isOneText = followsTable || !mayStartLater(pieces, layout);
  const hasNumber = start.lost > 0 && mayStartWithNumber(pieces, layout);
  // Bytes of a number that decode to letters are rarely all lower case.
  const isSuspect = !start.followsTerminator && /[A-Z]/.test(text.slice(0, NUMBER_BYTES));
  const isCertain = start.isCertain && isWhole && isOneText && !hasNumber && !isSuspect;
  return { host, kind: kindOf(text, layout), next, isCertain };
}

/** Whether the zeros and the first bytes may be a big-endian number before the name. */
function mayStartWithNumber(pieces: readonly Entry[], layout: Layout): boolean {
  const [first] = pieces;
  if (first === undefined || layout.isInOrder) return false;
  const numberBytes = NUMBER_BYTES - (first.offset % NUMBER_BYTES);
  return parseBotHost(joined(pieces, layout).slice(numberBytes)) !== undefined;
}

const NUMBER_BYTES = 4;

/**
 * The entries of one text, split at characters that equal the key; `undefined` if it has no end.
 */
function piecesAt(
  entries: readonly Entry[],
  index: number,
  layout: Layout,
): readonly Entry[] | undefined {
  const pieces: Entry[] = [];
  for (const entry of entries.slice(index, index + MAX_PIECES)) {
    if (pieces.length > 0 && entry.boundary !== undefined) return undefined;
    pieces.push(entry);
    if (entry.isTerminated || !layout.hasTerminators) return pieces;
    if (!entry.isNextAdjacent || layout.keyCharacter === '') return undefined;
  }
  return undefined;
}

function joined(pieces: readonly Entry[], { keyCharacter }: Layout): string {
  return pieces.map(({ text }) => text).join(keyCharacter);
}

/** Whether the first pieces may be separate texts without terminator. */
function mayStartLater(pieces: readonly Entry[], layout: Layout): boolean {
  return pieces.some(
    ({ offset }, index) =>
      index > 0 &&
      offset % layout.alignment === 0 &&
      parseBotHost(joined(pieces.slice(index), layout)) !== undefined,
  );
}

function hostAfterCode(text: string): string | undefined {
  let start = text.length;
  const minStart = Math.max(0, start - MAX_HOST_LENGTH);
  while (start > minStart && HOST_CHARACTERS.test(text[start - 1] ?? '')) start -= 1;
  return start > 0 && /[^ -~]/.test(text) ? parseBotHost(text.slice(start)) : undefined;
}

/** Whether the entry continues a name: a zero after an unterminated text may be a character. */
function isContinued(
  before: Entry | undefined,
  { zerosBefore: zeros, boundary }: Entry,
  { keyCharacter }: Layout,
): boolean {
  if (before === undefined || before.isTerminated || zeros !== 1 || boundary !== undefined)
    return false;
  // Ports have no terminator.
  return keyCharacter !== '' && before.plain.length !== 2 && HOST_CHARACTERS.test(before.text);
}

/** The port at this index, if it directly follows a server and a text of the table follows it. */
function portAfter(entries: readonly Entry[], index: number, layout: Layout): number | undefined {
  const [owner, entry] = [entries[index - 1], entries[index]];
  if (owner === undefined || entry === undefined || !isPortAfter(owner, entry, layout))
    return undefined;
  const start = startAfter(owner, layout);
  const follower = entries[index + 1];
  const isFollowed = !layout.hasTerminators || piecesAt(entries, index + 1, layout) !== undefined;
  // The zero after a port does not belong to the next text.
  if (!isFollowed || (follower !== undefined && follower.offset < start + PORT_BYTES + 1))
    return undefined;
  const bytes = portBytes(entry, start, layout);
  // Under a printable key these may be the first characters of a text whose third is a zero.
  const isText = READABLE.test(bytes.toString('latin1'));
  return isText && TEXT_CHARACTER.test(String.fromCharCode(layout.key))
    ? undefined
    : bytes.readUInt16BE(0) || undefined;
}

/** A byte that equals the key is encoded as zero, before or after the other. */
function portBytes({ plain, offset }: Entry, start: number, { key }: Layout): Buffer {
  const bytes = Buffer.from([key, key]);
  plain.copy(bytes, offset - start);
  return bytes;
}

/** Characters that occur in texts of a table. */
const TEXT_CHARACTER = /^(?!["`\\^{}|~])[ -~]$/;

/** Ports that do not follow a server. */
export function separatePorts(
  servers: readonly Server[],
  entries: readonly Entry[],
  table: Table,
): readonly number[] {
  const assigned = new Set(servers.flatMap(({ port, next }) => (port === undefined ? [] : [next])));
  const from = (servers[0]?.offset ?? table.start) - MAX_PORT_SPAN;
  return entries.flatMap((entry, index) =>
    entry.offset >= from &&
    entry.offset < table.end &&
    !assigned.has(index) &&
    isSeparatePort(entry, entries[index + 1]) &&
    followsText(entries, index)
      ? entry.plain.readUInt16BE(0) || []
      : [],
  );
}

/** Assigns the ports in order to the servers without one, if the counts are equal. */
export function assignPorts(
  servers: readonly Server[],
  ports: readonly number[],
): readonly Server[] {
  if (ports.length !== servers.filter(({ port }) => port === undefined).length) return servers;
  let next = 0;
  return servers.map((server) =>
    server.port === undefined ? { ...server, port: ports[next++] } : server,
  );
}

/** A port and the bytes up to the next entry. */
const MAX_PORT_SPAN = 4;

/** Two unreadable bytes without terminator, before a terminated text. */
function isSeparatePort({ plain, text, isTerminated }: Entry, next: Entry | undefined): boolean {
  if (plain.length !== 2 || isTerminated || READABLE.test(text)) return false;
  return next?.isTerminated === true && READABLE.test(next.text);
}

/** Other numbers of the program look like ports; those of the table follow its texts. */
function followsText(entries: readonly Entry[], index: number): boolean {
  const before = entries[index - 1];
  if (before === undefined) return false;
  return (
    before.isTerminated || (before.plain.length === 2 && entries[index - 2]?.isTerminated === true)
  );
}

const READABLE = /^[ -~]{2,}$/;

/** Whether the servers have the order of the source: one kind, and each directly after the last. */
function areAdjacent(servers: readonly Server[], { isInOrder }: Layout): boolean {
  const kinds = new Set(servers.map(({ kind }) => kind));
  if (kinds.size > 1 && !isInOrder) return false;
  return servers.every(({ next, port }, index) => {
    const follower = servers[index + 1];
    return follower === undefined || follower.index === next + (port === undefined ? 0 : 1);
  });
}

/** Drops all ports if they are ambiguous: a separate server without port may own another's. */
export function dropAmbiguousPorts(servers: readonly Server[], layout: Layout): readonly Server[] {
  const haveAllPorts = servers.every(({ port }) => port !== undefined);
  if (haveAllPorts || areAdjacent(servers, layout)) return servers;
  return servers.map((server) => ({ ...server, port: undefined }));
}

/**
 * The server that receives scan results is not a C2: it has the scanner's port, or it is the second
 * of two adjacent servers. If neither is certain, the usage is `other`.
 */
export function usageOf(
  server: Server,
  servers: readonly Server[],
  { ports, layout }: UsageContext,
): Usage {
  if (server.port === SCANNER_PORT) return 'upload';
  if (servers.some(({ port }) => port === SCANNER_PORT)) return 'c2';
  const haveAllPorts = servers.every(({ port }) => port !== undefined);
  if (servers.length === 2) {
    if (!areAdjacent(servers, layout)) return 'other';
    if (server === servers[1]) return haveAllPorts ? 'upload' : 'other';
  }
  return server.port === undefined && ports.includes(SCANNER_PORT) ? 'other' : 'c2';
}

type Usage = Endpoint['usage'];

interface UsageContext {
  readonly ports: readonly number[];
  readonly layout: Layout;
}
