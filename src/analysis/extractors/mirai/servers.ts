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
  const servers = texts.flatMap(({ text, offset }, index) => {
    const host = text === undefined ? undefined : parseBotHost(text);
    return host === undefined ? [] : { host, port: texts[index + 1]?.port || undefined, offset };
  });
  const unique = new Map(servers.map((server) => [`${server.host} ${server.port}`, server]));
  return [...unique.values()].slice(0, MAX_ENDPOINTS);
}

/**
 * The server that receives scan results is not a C2: it has the scanner's port, or it is not the
 * first. If neither is certain, the usage is `other`.
 */
export function usageOf(server: Server, servers: readonly Server[]): Endpoint['usage'] {
  if (server.port === SCANNER_PORT) return 'upload';
  const isScannerKnown = servers.some(({ port }) => port === SCANNER_PORT);
  return isScannerKnown || server === servers[0] ? 'c2' : 'other';
}
