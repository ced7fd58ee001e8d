import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { turnClock } from '../../platform/turn-clock.ts';
import type { App } from '../fastify-types.ts';
import type { MemoryBudget } from '../gate/memory-budget.ts';

/** The number of pending requests above which the server stops reading from a connection. */
const PAUSE_ABOVE = 4;
/**
 * The limit for one read. Node parses everything that it has read, up to 64 kB, before it can
 * pause.
 */
const MAX_PIPELINED = 128;
/**
 * Memory of a request and its response in Node and fastify, measured with short headers, doubled
 * for garbage.
 */
const REQUEST_BYTES = 6 * 1024;
/** The time after which further pipelined requests are handled in the next turn. */
const TURN_MS = 2;

/** Private members of Node's HTTP server. `pipelining.test.ts` fails if they change. */
interface QueuedResponse extends ServerResponse {
  /**
   * Counts the bytes buffered in responses without a socket. Node pauses the connection by their
   * sum.
   */
  _onPendingData(bytes: number): void;
}
interface ParsedSocket extends Socket {
  parser?: { onIncoming: (...request: readonly unknown[]) => number } | null;
}

/** A separate hook would cost every request more than the check itself. */
export type NextCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
) => void;

/** Any value but 0, 1 and 2 makes the parser stop with the code below. */
const STOP_PARSER = -1;
export const STOPPED_PARSER = 'HPE_CB_HEADERS_COMPLETE';

/**
 * Handles pipelined requests one after the other: each waits until the responses before it have
 * been sent. Handling them concurrently would let a few kilobytes of requests make the server
 * buffer hundreds of megabytes for a client that reads nothing. While more than a few requests are
 * pending, Node does not read from the connection, because each is counted as a share of Node's own
 * write buffer limit. A client that sends hundreds of requests at once is refused after those that
 * were accepted.
 */
export function orderPipelinedRequests(app: App, memory: MemoryBudget, next: NextCheck): void {
  const waiting = new WeakMap<Socket, number>();
  const turnStartedAt = turnClock(() => performance.now());

  app.addHook('onRequest', (request, reply, done) => {
    // Node assigns the socket to a response once the responses before it have been sent.
    if (reply.raw.socket !== null) return next(request, reply, done);
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
      const handle = () => {
        if (!socket.destroyed) next(request, reply, done);
      };
      // A response that is written at once assigns the socket to the next request, so all requests
      // of a connection would be handled in a single turn.
      const startedAt = turnStartedAt();
      if (performance.now() - startedAt < TURN_MS) process.nextTick(handle);
      else
        setImmediate(() => {
          turnStartedAt();
          handle();
        });
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

/** The parser cannot be paused within a chunk. An error makes it stop there. */
function stopParser(socket: ParsedSocket, memory: MemoryBudget): void {
  if (socket.parser) socket.parser.onIncoming = () => STOP_PARSER;
  else socket.destroy();
  memory.refusal('pipelined');
}
