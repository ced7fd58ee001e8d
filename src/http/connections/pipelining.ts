import type { Socket } from 'node:net';
import type { App } from '../fastify-types.ts';
import type { MemoryBudget } from '../gate/memory-budget.ts';
import type { PendingResponses } from './pending-responses.ts';
import { stopParser } from './stop-parser.ts';

/** The number of requests of a connection that may wait for the responses before them. */
const MAX_WAITING = 32;
/** The limit while the waiting requests of all connections hold a quarter of the memory budget. */
const MAX_WAITING_TIGHT = 4;
/**
 * Memory of a request and its response in Node and fastify, measured with short headers, doubled
 * for garbage.
 */
const REQUEST_BYTES = 6 * 1024;

/**
 * Handles the pipelined requests of a connection one after the other, each in another turn of the
 * event loop: a request waits until the response before it has been sent. Handling them
 * concurrently would let a few kilobytes of requests make the server buffer hundreds of megabytes
 * for a client that reads nothing. A client that sends more requests than may wait is refused after
 * those that were accepted.
 */
export function orderPipelinedRequests(
  app: App,
  responses: PendingResponses,
  memory: MemoryBudget,
): void {
  const waiting = new WeakMap<Socket, number>();

  function change(socket: Socket, requests: number): number {
    const count = (waiting.get(socket) ?? 0) + requests;
    waiting.set(socket, count);
    memory.change('pipelined', requests * REQUEST_BYTES);
    return count;
  }

  app.server.on('connection', (socket) => {
    socket.once('close', () => change(socket, -(waiting.get(socket) ?? 0)));
  });

  app.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    // Node assigns the socket to a response once the responses before it have been sent.
    const previous = response.socket === null ? responses.beforeLatest(socket) : undefined;
    if (previous === undefined) return done();
    previous.once('finish', () => {
      if (socket.destroyed) return;
      change(socket, -1);
      setImmediate(() => {
        if (!socket.destroyed) done();
      });
    });
    const limit = memory.isTightFor('pipelined') ? MAX_WAITING_TIGHT : MAX_WAITING;
    if (change(socket, 1) < limit) return;
    memory.refusal('pipelined');
    stopParser(socket);
  });
}
