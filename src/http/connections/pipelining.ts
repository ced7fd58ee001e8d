import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from '../fastify-types.ts';
import type { MemoryBudget } from '../gate/memory-budget.ts';

/** So many requests may wait on a connection before it is read no further. */
const PAUSE_ABOVE = 4;
/** What a caller may send in one go. Node parses all that it has read, up to 64 kB, before it can pause. */
const MAX_PIPELINED = 128;
/** A request and its response as Node and fastify keep them, measured with short headers, and as much garbage. */
const REQUEST_BYTES = 6 * 1024;

/** Members of Node's HTTP server that have no public name; `pipelining.test.ts` notices where they change. */
interface QueuedResponse extends ServerResponse {
  /** Counts bytes that wait in responses without a socket. Node pauses the connection by their sum. */
  _onPendingData(bytes: number): void;
}
interface ParsedSocket extends Socket {
  parser?: { onIncoming: (...request: readonly unknown[]) => number } | null;
}

/** Any number but 0, 1 and 2 makes the parser stop, with this code. */
const STOP_PARSER = -1;
export const STOPPED_PARSER = 'HPE_CB_HEADERS_COMPLETE';

/**
 * Of requests that a caller sends without waiting for answers, each is handled when the answers before it are out. All
 * at once, a few kilobytes of them would make the server hold hundreds of megabytes for a client that reads nothing.
 *
 * While more than a few wait, Node does not read from the connection: each counts like a part of the bytes that Node
 * itself lets wait. A caller that sends hundreds in one go is refused behind those that were taken.
 */
export function orderPipelinedRequests(app: App, memory: MemoryBudget): void {
  const waiting = new WeakMap<Socket, number>();

  app.addHook('onRequest', (request, reply, done) => {
    // Node gives the connection to an answer when those before it are out.
    if (reply.raw.socket !== null) return done();
    const { socket } = request.raw;
    const response = reply.raw as QueuedResponse;
    const weight = Math.ceil(socket.writableHighWaterMark / PAUSE_ABOVE);
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count === 1) releaseOnClose(socket);
    waiting.set(socket, count);
    memory.change('pipelined', REQUEST_BYTES);
    response._onPendingData(weight);
    response.once('socket', () => {
      response._onPendingData(-weight);
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      memory.change('pipelined', -REQUEST_BYTES);
      process.nextTick(done);
    });
    const limit = memory.isTightFor('pipelined') ? PAUSE_ABOVE : MAX_PIPELINED;
    if (count >= limit) stopParser(socket, memory);
  });

  function releaseOnClose(socket: Socket): void {
    if (watched.has(socket)) return;
    watched.add(socket);
    socket.once('close', () => {
      memory.change('pipelined', -REQUEST_BYTES * (waiting.get(socket) ?? 0));
      waiting.delete(socket);
    });
  }
  const watched = new WeakSet<Socket>();
}

/** The parser cannot be paused within what it has been given; an error makes it stop there. */
function stopParser(socket: ParsedSocket, memory: MemoryBudget): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP_PARSER;
  else socket.destroy();
  memory.refusal('pipelined');
}
