import { setTimeout as pause } from 'node:timers/promises';
import {
  closeAll,
  countClosed,
  type LoadOptions,
  openNonReadingClients,
  requestHead,
} from './raw-client.ts';

export interface PipelineOptions extends LoadOptions {
  readonly connections: number;
  readonly requestsEach: number;
  /** The path of the first requests, whose responses fill the socket buffers. */
  readonly first?: string;
  /** How long the connections stay open, unread. */
  readonly holdMs: number;
}

/** Requests large responses without reading them, and pipelines many small requests after them. */
export async function pipelineRequests(
  options: PipelineOptions,
): Promise<{ readonly sentBytes: number; readonly closed: number }> {
  const { url, connections, requestsEach, holdMs } = options;
  const clients = await openNonReadingClients(url, connections);
  const first = requestHead(`GET ${options.first ?? '/openapi.json'}`, undefined);
  const small = requestHead('GET /livez', undefined).repeat(requestsEach);
  for (const { socket } of clients) {
    socket.write(first.repeat(8));
    socket.write(small);
  }
  await pause(holdMs);
  const sentBytes = clients.reduce((sum, client) => sum + client.sentBytes(), 0);
  const closed = countClosed(clients);
  closeAll(clients);
  return { sentBytes, closed };
}
