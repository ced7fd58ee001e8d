import type { IncomingMessage } from 'node:http';

/** Long enough to receive the response on a slow line, short enough to bound wasted traffic. */
const LINGER_MS = 5000;

/**
 * Reads and discards the remaining body of a request that has been answered early. Closing the
 * connection at once would make the kernel discard the response together with unread input. A
 * client that finishes its body in time can reuse the connection.
 */
export function discardUnreadBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  // The destination of the pipe may be destroyed, which would stop the reading.
  request.unpipe();
  request.resume();
}
