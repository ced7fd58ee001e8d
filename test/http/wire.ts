import assert from 'node:assert/strict';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { Rig } from './http-rig.ts';

/** A response as received on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Lets the rig's server listen on a free port of the loopback interface. */
export async function listen(rig: Rig): Promise<number> {
  await rig.app.listen({ host: '127.0.0.1', port: 0 });
  return (rig.app.server.address() as AddressInfo).port;
}

/**
 * Opens a connection, lets `speak` write to it until the server or `speak` closes it, and returns
 * the bytes that the server sent.
 */
export async function talk(rig: Rig, speak: (socket: Socket) => void): Promise<string> {
  const { port } = rig.app.server.address() as AddressInfo;
  const { promise: closedThere, resolve } = Promise.withResolvers<void>();
  rig.app.server.once('connection', (socket) => socket.once('close', () => resolve()));
  const socket = connect(port, '127.0.0.1');
  const { promise: closedHere, resolve: close } = Promise.withResolvers<void>();
  let received = '';
  socket.setEncoding('latin1');
  socket.on('data', (text) => {
    received += text;
  });
  // The server may close while we still write; the bytes it sent before count.
  socket.on('error', () => undefined);
  socket.on('close', () => close());
  speak(socket);
  await Promise.all([closedHere, closedThere]);
  return received;
}

/** The number of connections to the rig's server. */
export function connectionsTo({ app }: Rig): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

export async function answersTo(rig: Rig, text: string): Promise<readonly WireAnswer[]> {
  return readAnswers(await talk(rig, (socket) => socket.write(text, 'latin1')));
}

/** Returns the only response to the bytes. */
export async function answerTo(rig: Rig, text: string): Promise<WireAnswer> {
  const [answer, ...others] = await answersTo(rig, text);
  assert.ok(answer, 'no answer');
  assert.deepEqual(others, []);
  return answer;
}

/**
 * Splits the bytes of a server into responses. Interim responses have no body, nor has a response
 * to HEAD.
 */
export function readAnswers(text: string): readonly WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    assert.notEqual(end, -1, `cut off: ${rest}`);
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const isChunked = headers.get('transfer-encoding') === 'chunked';
    const { body, length } = isChunked
      ? readChunks(rest.slice(end + 4))
      : plainBody(rest.slice(end + 4), Number(headers.get('content-length') ?? 0));
    answers.push({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

interface WireBody {
  readonly body: string;
  /** Its size on the wire. */
  readonly length: number;
}

function plainBody(text: string, length: number): WireBody {
  return { body: text.slice(0, length), length };
}

/** Decodes the chunked transfer coding (RFC 9112, 7.1), which must be complete. */
function readChunks(text: string): WireBody {
  let body = '';
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    assert.notEqual(lineEnd, -1, 'cut off within a chunked body');
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { body, length: at };
  }
}

/** Checks that an error on the wire keeps the contract of every other response. */
export function assertRefusal(answer: WireAnswer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.body);
  assert.equal(answer.headers.get('x-error-code'), code);
  assert.match(answer.headers.get('x-request-id') ?? '', /^[A-Za-z0-9_-]{8,}$/);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  const { error, successful, ...others } = JSON.parse(answer.body);
  assert.equal(typeof error, 'string');
  assert.equal(successful, false);
  assert.deepEqual(others, {});
}
