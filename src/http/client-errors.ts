import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../domain/problem.ts';

/** Answers what Node could not even read as HTTP, in the form of every other refusal. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  // A caller that hung up wants no answer.
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 431
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 408
        : 400;
  const problem = new Problem('malformed_request');
  const body = JSON.stringify({ error: problem.message, successful: false });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-error-code: ${problem.code}`,
      'x-request-id: unread',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
