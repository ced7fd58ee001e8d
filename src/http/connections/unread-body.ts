import type { IncomingMessage } from 'node:http';

/** Long enough to see the answer on any line, short enough that nobody pours bytes into nothing. */
const LINGER_MS = 5000;

/**
 * For a call that was answered before all of its body had come. To close the connection at once would make the
 * system throw away the answer together with what still comes in, so what comes is read for a moment longer. A
 * caller that ends its body in that time may go on with the same connection.
 */
export function discardUnreadBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  // What it was piped to may have been given up, and would keep it from being read.
  request.unpipe();
  request.resume();
}
