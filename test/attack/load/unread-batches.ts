import { setTimeout as pause } from 'node:timers/promises';
import {
  closeAll,
  countClosed,
  jsonRequest,
  type LoadOptions,
  openNonReadingClients,
} from './raw-client.ts';

export interface UnreadBatchesOptions extends LoadOptions {
  /** The hash of a file with a large analysis. */
  readonly hash: string;
  readonly connections: number;
  readonly holdMs: number;
}

const HASHES_PER_BATCH = 100;

/** Sends batch lookups of one large analysis without reading the responses. */
export async function leaveBatchesUnread(
  options: UnreadBatchesOptions,
): Promise<{ readonly sentBytes: number; readonly closed: number }> {
  const { url, token, hash, connections, holdMs } = options;
  const clients = await openNonReadingClients(url, connections);
  const hashes = Array.from({ length: HASHES_PER_BATCH }, () => hash);
  for (const { socket } of clients)
    socket.write(jsonRequest('POST /private/samples', token, { hashes }));
  await pause(holdMs);
  const sentBytes = clients.reduce((sum, client) => sum + client.sentBytes(), 0);
  const closed = countClosed(clients);
  closeAll(clients);
  return { sentBytes, closed };
}
