import { MAX_ENDPOINTS } from '../endpoints/addresses.ts';
import { parseBotHost } from '../endpoints/hosts.ts';
import type { Endpoint } from '../extractor.ts';
import {
  beginningOf,
  type Entry,
  HOST_SIGNS,
  isPortBehind,
  kindOf,
  type Layout,
  PORT_BYTES,
  startBehind,
  type Table,
  type TextKind,
} from './table.ts';

/** Finds the servers of a Mirai table, the port of each, and what it is for. */
const MAX_PIECES = 12;
const LONGEST_HOST = 253;
const SCANNER_PORT = 48_101;

export interface Server {
  readonly host: string;
  readonly port: number | undefined;
  readonly offset: number;
  readonly index: number;
  readonly kind: TextKind;
  /** Of the entry behind it, which is its port if it has one. */
  readonly next: number;
  /** Whether its name begins where we think: bytes before it may be letters under the key. */
  readonly isCertain: boolean;
}

export function serversOf(entries: readonly Entry[], layout: Layout): Server[] {
  const servers: Server[] = [];
  const known = new Set<string>();
  for (let index = 0; index < entries.length && servers.length < MAX_ENDPOINTS; ) {
    const found = hostAt(entries, index, layout);
    // Ports are short: another kind stands beside them only where nothing was put elsewhere.
    const hasPort = found?.kind === 'short' || layout.isInOrder;
    const server = found && {
      host: found.host,
      port: hasPort ? portBehind(entries, found.next, layout) : undefined,
      offset: entries[index]?.offset ?? 0,
      index,
      kind: found.kind,
      next: found.next,
      isCertain: found.isCertain,
    };
    index = found?.next ?? index + 1;
    const name = `${server?.host} ${server?.port}`;
    if (server === undefined || known.has(name)) continue;
    known.add(name);
    servers.push(server);
  }
  return servers;
}

interface FoundHost {
  readonly host: string;
  readonly kind: TextKind;
  /** The index of the entry behind it. */
  readonly next: number;
  readonly isCertain: boolean;
}

/** The host that begins there. */
function hostAt(entries: readonly Entry[], index: number, layout: Layout): FoundHost | undefined {
  const first = entries[index];
  if (first === undefined || (layout.hasEnds && isContinued(entries[index - 1], first, layout)))
    return undefined;
  const beginning = beginningOf(entries, index, layout);
  const pieces = piecesAt(entries, index, layout);
  if (pieces === undefined) return undefined;
  const next = index + pieces.length;
  const text = layout.sign.repeat(beginning.lost) + joined(pieces, layout);
  const host = parseBotHost(text);
  if (host === undefined) {
    // The first text of all may follow code without a zero between them.
    const behindCode = pieces.length === 1 ? hostBehindCode(text) : undefined;
    const kind = kindOf(text, layout);
    return behindCode === undefined
      ? undefined
      : { host: behindCode, kind, next, isCertain: false };
  }
  // Without ends, a zero that is a character ends a name like any other.
  const isWhole = layout.hasEnds || layout.sign === '';
  // A port before a name looks like its first two characters.
  const isOfTable = beginning.isBehindEnd && first.plain.length > 2;
  const isJoined = isOfTable || !mayBeginLater(pieces, layout);
  const isNumbered = beginning.lost > 0 && mayBeginWithNumber(pieces, layout);
  // Four bytes of a number that are letters by chance are seldom small ones.
  const isOdd = !beginning.isBehindEnd && /[A-Z]/.test(text.slice(0, NUMBER_BYTES));
  const isCertain = beginning.isCertain && isWhole && isJoined && !isNumbered && !isOdd;
  return { host, kind: kindOf(text, layout), next, isCertain };
}

/** Whether zeros and the first bytes may be a big-endian number that stands before the name. */
function mayBeginWithNumber(pieces: readonly Entry[], layout: Layout): boolean {
  const [first] = pieces;
  if (first === undefined || layout.isInOrder) return false;
  const ofNumber = NUMBER_BYTES - (first.offset % NUMBER_BYTES);
  return parseBotHost(joined(pieces, layout).slice(ofNumber)) !== undefined;
}

const NUMBER_BYTES = 4;

/** A text with the zeros in it that may be characters which equal the key; `undefined` where it does not end. */
function piecesAt(
  entries: readonly Entry[],
  index: number,
  layout: Layout,
): readonly Entry[] | undefined {
  const pieces: Entry[] = [];
  for (const entry of entries.slice(index, index + MAX_PIECES)) {
    if (pieces.length > 0 && entry.boundary !== undefined) return undefined;
    pieces.push(entry);
    if (entry.isEnded || !layout.hasEnds) return pieces;
    if (!entry.isNextNear || layout.sign === '') return undefined;
  }
  return undefined;
}

function joined(pieces: readonly Entry[], { sign }: Layout): string {
  return pieces.map(({ text }) => text).join(sign);
}

/** Whether its first pieces may be texts of their own, whose ends look like the key. */
function mayBeginLater(pieces: readonly Entry[], layout: Layout): boolean {
  return pieces.some(
    ({ offset }, index) =>
      index > 0 &&
      offset % layout.alignment === 0 &&
      parseBotHost(joined(pieces.slice(index), layout)) !== undefined,
  );
}

function hostBehindCode(text: string): string | undefined {
  let start = text.length;
  const least = Math.max(0, start - LONGEST_HOST);
  while (start > least && HOST_SIGNS.test(text[start - 1] ?? '')) start -= 1;
  return start > 0 && /[^ -~]/.test(text) ? parseBotHost(text.slice(start)) : undefined;
}

/** Whether it is the rest of a name: a zero after a text that does not end may be one of its signs. */
function isContinued(
  before: Entry | undefined,
  { zerosBefore: zeros, boundary }: Entry,
  { sign }: Layout,
): boolean {
  if (before === undefined || before.isEnded || zeros !== 1 || boundary !== undefined) return false;
  // Ports have no end.
  return sign !== '' && before.plain.length !== 2 && HOST_SIGNS.test(before.text);
}

/** The port at that index, which belongs to the server before it: right behind it, with a text of the table to follow. */
function portBehind(entries: readonly Entry[], index: number, layout: Layout): number | undefined {
  const [owner, entry] = [entries[index - 1], entries[index]];
  if (owner === undefined || entry === undefined || !isPortBehind(owner, entry, layout))
    return undefined;
  const start = startBehind(owner, layout);
  const follower = entries[index + 1];
  const isFollowed = !layout.hasEnds || piecesAt(entries, index + 1, layout) !== undefined;
  // The zero behind a port is not part of what follows.
  if (!isFollowed || (follower !== undefined && follower.offset < start + PORT_BYTES + 1))
    return undefined;
  const bytes = portBytes(entry, start, layout);
  // Under a printable key these may be the first characters of a text, and a zero its third.
  const isText = READABLE.test(bytes.toString('latin1'));
  return isText && TEXT_SIGN.test(String.fromCharCode(layout.key))
    ? undefined
    : bytes.readUInt16BE(0) || undefined;
}

/** A byte of it that equals the key is a zero there, before the other or behind it. */
function portBytes({ plain, offset }: Entry, start: number, { key }: Layout): Buffer {
  const bytes = Buffer.from([key, key]);
  plain.copy(bytes, offset - start);
  return bytes;
}

/** Characters that texts of a table have. */
const TEXT_SIGN = /^(?!["`\\^{}|~])[ -~]$/;

/** Ports that stand apart from servers. */
export function lonePorts(
  servers: readonly Server[],
  entries: readonly Entry[],
  table: Table,
): readonly number[] {
  const claimed = new Set(servers.flatMap(({ port, next }) => (port === undefined ? [] : [next])));
  const from = (servers[0]?.offset ?? table.start) - WIDEST_PORT;
  return entries.flatMap((entry, index) =>
    entry.offset >= from &&
    entry.offset < table.end &&
    !claimed.has(index) &&
    isLonePort(entry, entries[index + 1]) &&
    isBehindText(entries, index)
      ? entry.plain.readUInt16BE(0) || []
      : [],
  );
}

/** They belong to the servers without one, in their order, if there are as many. */
export function withPorts(servers: readonly Server[], ports: readonly number[]): readonly Server[] {
  if (ports.length !== servers.filter(({ port }) => port === undefined).length) return servers;
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

/** Numbers of the program may look like ports; those of the table stand behind its texts. */
function isBehindText(entries: readonly Entry[], index: number): boolean {
  const before = entries[index - 1];
  if (before === undefined) return false;
  return before.isEnded || (before.plain.length === 2 && entries[index - 2]?.isEnded === true);
}

const READABLE = /^[ -~]{2,}$/;

/** Whether all stand where the source has them: of one kind, and each right behind the one before it. */
function areTogether(servers: readonly Server[], { isInOrder }: Layout): boolean {
  const kinds = new Set(servers.map(({ kind }) => kind));
  if (kinds.size > 1 && !isInOrder) return false;
  return servers.every(({ next, port }, index) => {
    const follower = servers[index + 1];
    return follower === undefined || follower.index === next + (port === undefined ? 0 : 1);
  });
}

/** Where a server stands apart and has no port, the port behind another may be that one's. */
export function withoutDoubtful(servers: readonly Server[], layout: Layout): readonly Server[] {
  const haveAllPorts = servers.every(({ port }) => port !== undefined);
  if (haveAllPorts || areTogether(servers, layout)) return servers;
  return servers.map((server) => ({ ...server, port: undefined }));
}

/**
 * What a server is for. One of them takes what the scanner finds, and is no C2: the one at the scanner's port, or of
 * two the second, if they stand together in the order of the source. Where that cannot be known it is not told.
 */
export function usageOf(
  server: Server,
  servers: readonly Server[],
  { ports, layout }: Known,
): Usage {
  if (server.port === SCANNER_PORT) return 'upload';
  if (servers.some(({ port }) => port === SCANNER_PORT)) return 'c2';
  const haveAllPorts = servers.every(({ port }) => port !== undefined);
  if (servers.length === 2) {
    if (!areTogether(servers, layout)) return 'other';
    if (server === servers[1]) return haveAllPorts ? 'upload' : 'other';
  }
  return server.port === undefined && ports.includes(SCANNER_PORT) ? 'other' : 'c2';
}

type Usage = Endpoint['usage'];

interface Known {
  readonly ports: readonly number[];
  readonly layout: Layout;
}
