import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses of each connection, in the order of their requests, until they are sent. */
export class PendingResponses {
  /** The last response of a connection stays in its list after it was sent. */
  readonly #byConnection = new WeakMap<Socket, ServerResponse[]>();

  constructor(server: Server) {
    // Before the listener of fastify.
    server.prependListener('request', ({ socket }, response) => {
      const responses = this.#byConnection.get(socket) ?? [];
      while (responses[0] !== undefined && isSent(responses[0])) responses.shift();
      responses.push(response);
      this.#byConnection.set(socket, responses);
    });
  }

  /** The response that is sent next, or is being sent. */
  current(socket: Socket): ServerResponse | undefined {
    return this.#byConnection.get(socket)?.find((response) => !isSent(response));
  }

  /** The response to the last request, sent or not. */
  latest(socket: Socket): ServerResponse | undefined {
    return this.#byConnection.get(socket)?.at(-1);
  }

  /** The response to the request before the last one, if it is not sent yet. */
  beforeLatest(socket: Socket): ServerResponse | undefined {
    return this.#byConnection.get(socket)?.at(-2);
  }
}

/** Node detaches the socket from a response when all of it was sent. */
function isSent({ writableFinished, socket }: ServerResponse): boolean {
  return writableFinished && socket === null;
}
