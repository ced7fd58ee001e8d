import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../domain/problem.ts';

type ReadError = Error & { readonly code?: string };

/** Answers what Node could not even read as HTTP, in the form of every other refusal. */
export function refuseUnreadable(
  nextId: () => string,
  headers: Readonly<Record<string, string>>,
): (error: ReadError, socket: Socket) => void {
  return function refuse(error, socket) {
    // A caller that hung up wants no answer.
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const earlier = answerUnderWay(socket);
    if (earlier !== undefined) return void earlier.once('finish', () => refuse(error, socket));
    socket.end(refusal(error, { ...headers, 'x-request-id': nextId() }));
  };
}

/**
 * The answer to a request that was read whole before the unreadable one. It must go out first: the caller
 * would take the refusal for its answer.
 */
function answerUnderWay(socket: Socket): ServerResponse | undefined {
  // Node keeps it there and has no other way to it.
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
  return answer?.req.complete ? answer : undefined;
}

function refusal(error: ReadError, headers: Readonly<Record<string, string>>): string {
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 431
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 408
        : 400;
  const problem = new Problem('malformed_request');
  const body = JSON.stringify({ error: problem.message, successful: false });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-error-code: ${problem.code}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
