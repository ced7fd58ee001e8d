import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type LoadOptions, openNonReadingClient, requestHead } from './raw-client.ts';

export interface BehindStreamOptions extends LoadOptions {
  readonly service: string;
  readonly requests: number;
  /** Stops sending after this time if the server does not read. */
  readonly sendMs: number;
}

const GROUP = 1000;

/**
 * Opens an event stream and pipelines requests after it on the same connection, which are never
 * answered. Then closes the connection.
 */
export async function pipelineBehindStream(
  options: BehindStreamOptions,
): Promise<{ readonly sent: number; readonly closedByServer: boolean }> {
  const { url, token, service, requests, sendMs } = options;
  const { socket } = await openNonReadingClient(url);
  socket.write(requestHead(`GET /feed/${service}/stream`, token));
  const group = requestHead('GET /livez', undefined).repeat(GROUP);
  const timeout = pause(sendMs).then(() => 'late' as const);
  let sent = 0;
  while (sent < requests && !socket.destroyed) {
    const isDrained = socket.write(group);
    sent += GROUP;
    if (isDrained) continue;
    const next = Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => []);
    if ((await Promise.race([next, timeout])) === 'late') break;
  }
  const closedByServer = socket.destroyed;
  const closed = socket.destroyed ? undefined : once(socket, 'close');
  socket.destroy();
  await closed;
  return { sent, closedByServer };
}
