import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../domain/problem.ts';
import type { PendingResponses } from './pending-responses.ts';
import { STOPPED_PARSER } from './stop-parser.ts';

/** For clients that do not close their side of the connection. */
const LINGER_MS = 5000;

type ReadError = Error & { readonly code?: string };

/** Answers requests that Node cannot parse as HTTP, in the form of all other errors. */
export function refuseMalformed(
  nextId: () => string,
  headers: Readonly<Record<string, string>>,
  responses: () => PendingResponses,
): (error: ReadError, socket: Socket) => void {
  const refused = new WeakSet<Socket>();

  function refuseAfterResponses(error: ReadError, socket: Socket): void {
    if (!socket.writable) return void socket.destroy();
    const response = responses().current(socket);
    if (response?.req.complete) {
      // This response belongs to an earlier request. The client would take the refusal for it.
      response.once('finish', () => refuseAfterResponses(error, socket));
    } else if (
      response?.writableEnded ||
      (response === undefined && isAnswered(error, responses().latest(socket)))
    ) {
      // The request was answered before its body turned out to be malformed. A second response
      // would be wrong.
      endSoon(socket, '');
    } else if (response?.headersSent) {
      // A truncated response must not look complete.
      socket.destroy();
    } else {
      // Discards the response that the handler may still produce.
      response?.detachSocket(socket);
      response?.destroy();
      // Node may not emit `close` for a response without a socket, but resources are released on
      // it.
      if (response?.closed === false) response.emit('close');
      endSoon(socket, refusal(error, { ...headers, 'x-request-id': nextId() }));
    }
  }

  return (error, socket) => {
    // The client has disconnected.
    if (error.code === 'ECONNRESET') return void socket.destroy();
    // The parser fails again on every later chunk and on the end of the stream.
    if (refused.has(socket)) return socket.readableEnded ? endSoon(socket, '') : undefined;
    refused.add(socket);
    refuseAfterResponses(error, socket);
  };
}

/** Whether the request that is being parsed has been answered. No response is pending. */
function isAnswered({ code }: ReadError, latest: ServerResponse | undefined): boolean {
  // The request that stopped the parser has not been answered.
  return code !== STOPPED_PARSER && latest?.req.complete === false;
}

/** Closing at once would make the kernel discard the response together with unread input. */
function endSoon(socket: Socket, text: string): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function refusal(error: ReadError, headers: Readonly<Record<string, string>>): string {
  const problem = new Problem(
    error.code === STOPPED_PARSER ? 'too_many_pipelined' : 'malformed_request',
  );
  const status = statusOf(error);
  const body = JSON.stringify({ error: problem.message, successful: false });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-error-code: ${problem.code}`,
    ...(status === 429 ? ['retry-after: 1'] : []),
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function statusOf({ code }: ReadError): number {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case STOPPED_PARSER:
      return 429;
    default:
      return 400;
  }
}
