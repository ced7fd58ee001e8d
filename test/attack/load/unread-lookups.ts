import { setTimeout as pause } from 'node:timers/promises';
import {
  closeAll,
  countClosed,
  type LoadOptions,
  openNonReadingClients,
  requestHead,
} from './raw-client.ts';

export interface UnreadLookupsOptions extends LoadOptions {
  /** Such as `/private/sample/<hash>`. */
  readonly path: string;
  readonly connections: number;
  readonly requestsEach: number;
  readonly holdMs: number;
}

/** Requests one path several times on many connections without reading the responses. */
export async function leaveLookupsUnread(
  options: UnreadLookupsOptions,
): Promise<{ readonly sentBytes: number; readonly closed: number }> {
  const { url, token, path, connections, requestsEach, holdMs } = options;
  const clients = await openNonReadingClients(url, connections);
  const request = requestHead(`GET ${path}`, token);
  for (const { socket } of clients) socket.write(request.repeat(requestsEach));
  await pause(holdMs);
  const sentBytes = clients.reduce((sum, client) => sum + client.sentBytes(), 0);
  const closed = countClosed(clients);
  closeAll(clients);
  return { sentBytes, closed };
}
