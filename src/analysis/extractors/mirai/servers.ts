import { MAX_ENDPOINTS } from '../endpoints/addresses.ts';
import { parseBotHost } from '../endpoints/hosts.ts';
import type { Endpoint } from '../extractor.ts';
import type { CopiedText } from './copied-table.ts';

/** The servers of a Mirai table, in its order. */
export interface Server {
  readonly host: string;
  readonly port: number | undefined;
  readonly offset: number;
}

/** Port of the server that receives scan results, in the public source. */
export const SCANNER_PORT = 48_101;
/** The number of its entry (`TABLE_SCAN_CB_DOMAIN`). */
const SCANNER_ID = 18;
/** The number of the C2 (`TABLE_CNC_DOMAIN`), and of other entries that show these numbers. */
const C2_ID = 3;
const PUBLIC_IDS: ReadonlyMap<string | undefined, number> = new Map([
  ['/proc/', 6],
  ['shell', 20],
  ['enable', 21],
]);

/** Servers of a table whose code is known: the port is the next text, and two bytes long. */
export function copiedServers(texts: readonly CopiedText[]): Server[] {
  const hosts = texts.map(({ text }) => (text === undefined ? undefined : parseBotHost(text)));
  const first = hosts.findIndex((host) => host !== undefined);
  // A port before the first server is its own, or that of a server that was not understood.
  const areAfter = texts[first - 1]?.port === undefined;
  const servers = texts.flatMap(({ offset, isNextKnown }, index) => {
    const host = hosts[index];
    const port = areAfter && isNextKnown ? texts[index + 1]?.port || undefined : undefined;
    return host === undefined ? [] : { host, port, offset };
  });
  const unique = new Map(servers.map((server) => [`${server.host} ${server.port}`, server]));
  return [...unique.values()].slice(0, MAX_ENDPOINTS);
}

/**
 * Whether the number of its entry shows that the first server is the C2 of the public source. It is
 * not if a server that was not understood may be before it, if ports are before their servers, or
 * if the numbers of the entries show another order.
 */
export function isFirstKnown(texts: readonly CopiedText[], servers: readonly Server[]): boolean {
  const offsets = new Set(servers.map(({ offset }) => offset));
  const index = texts.findIndex(({ offset }) => offsets.has(offset));
  const id = texts[index]?.id;
  const isEarlier = (one: CopiedText) =>
    offsets.has(one.offset) && one.id !== undefined && one.id < (id ?? 0);
  if (id === undefined || id === SCANNER_ID || texts.some(isEarlier)) return false;
  // Some variants have the C2 in the code, and only the server for scan results in the table.
  if (offsets.size === 1 && !(id === C2_ID && hasPublicIds(texts))) return false;
  const before = texts.slice(Math.max(0, index - 2), index);
  const mayBeServer = (text: string | undefined) => text !== undefined && parseBotHost(text);
  return before.every(({ candidate, port }) => port === undefined && !mayBeServer(candidate));
}

/** Whether the entries have the numbers of the public source. */
function hasPublicIds(texts: readonly CopiedText[]): boolean {
  return texts.some(({ text, id }) => id !== undefined && PUBLIC_IDS.get(text) === id);
}

/**
 * The server that receives scan results is not a C2. A C2 is known if that server is known by its
 * port, or by the number of its own entry. If neither is certain, the usage is `other`. So is that
 * of an address without a port beside a server with one: it may be a resolver, or serve files.
 */
export function usageOf(server: Server, { servers, hasFirst }: ServerList): Endpoint['usage'] {
  if (server.port === SCANNER_PORT) return 'upload';
  const others = servers.filter(({ port }) => port !== SCANNER_PORT);
  const isScannerKnown = others.length < servers.length;
  if (!isScannerKnown) return hasFirst && server === servers[0] ? 'c2' : 'other';
  const isC2 = server.port !== undefined || others.every(({ port }) => port === undefined);
  return isC2 ? 'c2' : 'other';
}

export interface ServerList {
  readonly servers: readonly Server[];
  /** Whether the first is the C2 of the table, by the number of its entry. */
  readonly hasFirst: boolean;
}
