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
  /** What is asked first, whose answer fills the connection. */
  readonly first?: string;
  /** How long the connections stay open, unread. */
  readonly holdMs: number;
}

/**
 * Connections that ask for something large, read nothing, and send many small requests behind it.
 */
export async function pipelineRequests(
  options: PipelineOptions,
): Promise<{ readonly sentBytes: number; readonly closed: number }> {
  const { url, connections, requestsEach, holdMs } = options;
  const clients = await openNonReadingClients(url, connections);
  const first = requestHead(
    `GET ${options.first ?? '/docs/static/swagger-ui-bundle.js'}`,
    undefined,
  );
  const small = requestHead('GET /livez', undefined).repeat(requestsEach);
  for (const { socket } of clients) {
    socket.write(first.repeat(4));
    socket.write(small);
  }
  await pause(holdMs);
  const sentBytes = clients.reduce((sum, client) => sum + client.sentBytes(), 0);
  const closed = countClosed(clients);
  closeAll(clients);
  return { sentBytes, closed };
}
