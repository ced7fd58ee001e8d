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

/** Servers of a table whose code is known: the port is the next text, and two bytes long. */
export function copiedServers(texts: readonly CopiedText[]): Server[] {
  const servers = texts.flatMap(({ text, offset, isNextKnown }, index) => {
    const host = text === undefined ? undefined : parseBotHost(text);
    const port = isNextKnown ? texts[index + 1]?.port || undefined : undefined;
    return host === undefined ? [] : { host, port, offset };
  });
  const unique = new Map(servers.map((server) => [`${server.host} ${server.port}`, server]));
  return [...unique.values()].slice(0, MAX_ENDPOINTS);
}

/** Whether no server that was not understood can be before the first: it would be the C2. */
export function isFirstKnown(texts: readonly CopiedText[], [first]: readonly Server[]): boolean {
  const index = texts.findIndex(({ offset }) => offset === first?.offset);
  const before = texts.slice(Math.max(0, index - 2), index);
  const mayBeServer = (text: string | undefined) => text !== undefined && parseBotHost(text);
  return before.every(({ candidate, port }) => port === undefined && !mayBeServer(candidate));
}

/**
 * The server that receives scan results is not a C2: it has the scanner's port, or it is not the
 * first. If neither is certain, the usage is `other`.
 */
export function usageOf(server: Server, { servers, hasFirst }: ServerList): Endpoint['usage'] {
  if (server.port === SCANNER_PORT) return 'upload';
  const isScannerKnown = servers.some(({ port }) => port === SCANNER_PORT);
  return isScannerKnown || (hasFirst && server === servers[0]) ? 'c2' : 'other';
}

export interface ServerList {
  readonly servers: readonly Server[];
  /** Whether the first is also the first of the table. */
  readonly hasFirst: boolean;
}
