import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type LoadOptions, openNonReadingClient, requestHead } from './raw-client.ts';

export interface BehindStreamOptions extends LoadOptions {
  readonly service: string;
  readonly requests: number;
  /** Gives up sending what the server does not take by then. */
  readonly sendMs: number;
}

const GROUP = 1000;

/**
 * One connection that follows a feed and sends requests behind it, which are never answered; then
 * it closes.
 */
export async function pipelineBehindStream(
  options: BehindStreamOptions,
): Promise<{ readonly sent: number; readonly closedByServer: boolean }> {
  const { url, token, service, requests, sendMs } = options;
  const { socket } = await openNonReadingClient(url);
  socket.write(requestHead(`GET /feed/${service}/stream`, token));
  const group = requestHead('GET /livez', undefined).repeat(GROUP);
  const giveUp = pause(sendMs).then(() => 'late' as const);
  let sent = 0;
  while (sent < requests && !socket.destroyed) {
    const isTaken = socket.write(group);
    sent += GROUP;
    if (isTaken) continue;
    const next = Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => []);
    if ((await Promise.race([next, giveUp])) === 'late') break;
  }
  const closedByServer = socket.destroyed;
  const closed = socket.destroyed ? undefined : once(socket, 'close');
  socket.destroy();
  await closed;
  return { sent, closedByServer };
}
