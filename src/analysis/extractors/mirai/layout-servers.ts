import { parseBotHost } from '../endpoints/hosts.ts';
import { SCANNER_PORT, type Server } from './servers.ts';
import {
  type Entry,
  isLong,
  isPortAfter,
  type Layout,
  PORT_BYTES,
  startAfter,
  startsText,
} from './table.ts';

/** Finds the servers of a Mirai table by its layout, under a key that names cannot contain. */
export interface PlacedServer extends Server {
  readonly index: number;
  readonly isLong: boolean;
  /**
   * Whether the start of the name is certain: under the key, bytes before it may decode to letters.
   */
  readonly isCertain: boolean;
}

const HOST_CHARACTER = /^[a-z0-9.-]$/i;
const MAX_HOST_LENGTH = 253;

/** Whether a zero may be a character of a name. */
export function isHostCharacter(key: number): boolean {
  return HOST_CHARACTER.test(String.fromCharCode(key));
}

export function placedServers(entries: readonly Entry[], layout: Layout): PlacedServer[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, index) => {
    const { text, offset, isTerminated } = entry;
    if (layout.hasTerminators && !isTerminated) return [];
    const exact = parseBotHost(text);
    // The first text may follow code without a zero between them.
    const host = exact ?? hostAfterCode(text);
    if (host === undefined) return [];
    const isCertain = exact !== undefined && startsText(entries, index, layout);
    const isLongText = isLong(text, layout);
    const port = portAfter(entries, index, layout);
    if (seen.has(`${host} ${port}`)) return [];
    seen.add(`${host} ${port}`);
    return { host, port, offset, index, isLong: isLongText, isCertain };
  });
}

function hostAfterCode(text: string): string | undefined {
  let start = text.length;
  const minStart = Math.max(0, start - MAX_HOST_LENGTH);
  while (start > minStart && HOST_CHARACTER.test(text[start - 1] ?? '')) start -= 1;
  return start > 0 && /[^ -~]/.test(text) ? parseBotHost(text.slice(start)) : undefined;
}

/** The port after a server, if a text directly follows it. */
function portAfter(entries: readonly Entry[], index: number, layout: Layout): number | undefined {
  const [owner, entry, follower] = [entries[index], entries[index + 1], entries[index + 2]];
  if (owner === undefined || entry === undefined || !isPortAfter(owner, entry, layout))
    return undefined;
  const start = startAfter(owner, layout);
  if (follower === undefined || !startsText(entries, index + 2, layout)) return undefined;
  // A byte that equals the key is encoded as zero, before or after the other.
  const bytes = Buffer.from([layout.key, layout.key]);
  entry.plain.copy(bytes, entry.offset - start);
  // Under a printable key these may be the first characters of a text whose third is a zero.
  const isText = [...bytes, layout.key].every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText || follower.offset < start + PORT_BYTES
    ? undefined
    : bytes.readUInt16BE(0) || undefined;
}

/**
 * Whether the servers have the order of the source, so that the first is the C2 and ports are not
 * those of other servers. Compilers and linkers move long texts and texts with an embedded zero,
 * and merge a text with another that ends with it.
 */
export function areInOrder(
  servers: readonly PlacedServer[],
  entries: readonly Entry[],
  { key }: Layout,
): boolean {
  const [first] = servers;
  if (first === undefined || servers.some(({ isLong: long }) => long !== first.isLong))
    return false;
  // A port before the first is that of a server that was moved.
  const before = entries[first.index - 1];
  if (before?.plain.length === PORT_BYTES && !before.isTerminated) return false;
  const areAdjacent = servers.every(({ index, port }, number) => {
    const follower = servers[number + 1];
    return follower === undefined || follower.index === index + (port === undefined ? 1 : 2);
  });
  // The scanner's port belongs to a server, but not to the first.
  const owner = servers.findIndex(({ port }) => port === SCANNER_PORT);
  const isElsewhere = entries.some(
    ({ plain }) => plain.length === PORT_BYTES && plain.readUInt16BE(0) === SCANNER_PORT,
  );
  const mayHide = key === SCANNER_PORT >> 8 || key === (SCANNER_PORT & 0xff);
  return areAdjacent && (owner > 0 || (owner === -1 && !isElsewhere && !mayHide));
}
