import type { Socket } from 'node:net';

/**
 * Node parses all requests of the 64 kB that it reads at once, and has no public interface to stop
 * it. For 100 connections that send 2,400 requests each, the longest turn of the event loop took
 * about 0.1 s of CPU time if the parser is stopped, and 1.2 s if the sockets are only destroyed. If
 * this member of Node changes, `pipelining.test.ts` fails, and the socket is destroyed instead. A
 * public way to stop the parser would replace this file.
 */
interface ParsedSocket extends Socket {
  parser?: { onIncoming?: (...request: readonly unknown[]) => number } | null;
}

/** Any value but 0, 1 and 2 makes the parser stop with the code below. */
const STOP = -1;
export const STOPPED_PARSER = 'HPE_CB_HEADERS_COMPLETE';

/**
 * Makes Node stop parsing the data that it has read from a connection. It then emits `clientError`
 * with the code above.
 */
export function stopParser(socket: ParsedSocket): void {
  if (typeof socket.parser?.onIncoming === 'function') socket.parser.onIncoming = () => STOP;
  else socket.destroy();
}
