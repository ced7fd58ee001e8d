import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../domain/problem.ts';
import { STOPPED_PARSER } from './pipelining.ts';

/** For a caller that does not close its side. */
const LINGER_MS = 5000;

type ReadError = Error & { readonly code?: string };

/** Answers what Node could not even read as HTTP, in the form of every other refusal. */
export function refuseMalformed(
  nextId: () => string,
  headers: Readonly<Record<string, string>>,
): (error: ReadError, socket: Socket) => void {
  const refused = new WeakSet<Socket>();

  function refuseAfterResponses(error: ReadError, socket: Socket): void {
    if (!socket.writable) return void socket.destroy();
    const answer = currentResponse(socket);
    if (answer?.req.complete) {
      // To an earlier request. The caller would take the refusal for it.
      answer.once('finish', () => refuseAfterResponses(error, socket));
    } else if (answer?.writableEnded || (answer === undefined && isAnswered(error, socket))) {
      // The request was answered before its body turned out to be unreadable: one answer is enough.
      endSoon(socket, '');
    } else if (answer?.headersSent) {
      // Half of an answer must not look whole.
      socket.destroy();
    } else {
      // Whatever its handler does from here on, it is not sent.
      answer?.detachSocket(socket);
      answer?.destroy();
      // What is released with it must not depend on whether Node tells of the end of one without a connection.
      if (answer?.closed === false) answer.emit('close');
      endSoon(socket, refusal(error, { ...headers, 'x-request-id': nextId() }));
    }
  }

  return (error, socket) => {
    // A caller that hung up wants no answer.
    if (error.code === 'ECONNRESET') return void socket.destroy();
    // The parser fails again with whatever else arrives, and with the end.
    if (refused.has(socket)) return socket.readableEnded ? endSoon(socket, '') : undefined;
    refused.add(socket);
    refuseAfterResponses(error, socket);
  };
}

/** The answer that has the connection: to an earlier request, or to the one whose body cannot be read. */
function currentResponse(socket: Socket): ServerResponse | undefined {
  // Node keeps it there and has no other way to it.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  return answer ?? undefined;
}

/** Whether the request that is being read has had its answer; there is none under way. */
function isAnswered({ code }: ReadError, socket: Socket): boolean {
  // The one that stopped the parser has had none.
  if (code === STOPPED_PARSER) return false;
  const { parser } = socket as { parser?: { incoming?: IncomingMessage | null } | null };
  return parser?.incoming?.complete === false;
}

/** To close at once would make the system throw away the refusal together with what still arrives. */
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
