import type { AttackCase } from './case.ts';
import type { Role, Target } from './target.ts';
import { type Exchange, exchange } from './wire.ts';

/** The parts of a request, which are sent without normalisation. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

interface SafeAnswer {
  /** The single response has one of these statuses. */
  readonly status: number | readonly number[];
  /** Closing the connection without a response is safe too. */
  readonly mayClose?: boolean;
  /** The expected `X-Error-Code`. */
  readonly code?: string;
  readonly mustMatch?: RegExp;
  readonly mustNotMatch?: RegExp;
}

/** One request and the safe response to it. */
export interface RequestCase {
  readonly name: string;
  readonly as?: Role;
  readonly send: Sent | ((target: Target) => Sent | Promise<Sent>);
  readonly safe: SafeAnswer;
}

/** No response may contain stack traces, source paths or SQL. */
const INTERNALS = /\bat [\w.<>]+ \(|node:internal|\/src\/|\.ts:\d+|SQLITE_|select .* from /i;

export function requestCase({ name, as = 'anonymous', send, safe }: RequestCase): AttackCase {
  return {
    name,
    safe: describeSafe(safe),
    async run(target) {
      const sent = typeof send === 'function' ? await send(target) : send;
      const answer = await exchange(target.port, bytesOf(sent, target.tokenOf(as)));
      return unsafeParts(answer, safe);
    },
  };
}

/** A case that sends raw bytes, for example an invalid request. */
export function rawCase(
  name: string,
  bytes: string | ((target: Target) => string),
  safe: SafeAnswer,
): AttackCase {
  return {
    name,
    safe: describeSafe(safe),
    async run(target) {
      const text = typeof bytes === 'function' ? bytes(target) : bytes;
      return unsafeParts(await exchange(target.port, Buffer.from(text, 'latin1')), safe);
    },
  };
}

function bytesOf({ method = 'GET', path = '/', headers = [], body }: Sent, token: string): Buffer {
  const content = body === undefined ? undefined : Buffer.from(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    ...(token === '' ? [] : [`Authorization: ${token}`]),
    ...(content === undefined ? [] : [`Content-Length: ${content.length}`]),
    ...(content === undefined || hasType(headers) ? [] : ['Content-Type: application/json']),
    ...headers,
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return content === undefined ? head : Buffer.concat([head, content]);
}

function hasType(headers: readonly string[]): boolean {
  return headers.some((header) => /^content-type:/i.test(header));
}

function unsafeParts(
  { received, statuses, isClosed }: Exchange,
  safe: SafeAnswer,
): readonly string[] {
  if (safe.mayClose === true && isClosed && received === '') return [];
  const expected = [safe.status].flat();
  const [status, ...others] = statuses.filter((one) => one >= 200);
  const code = /^x-error-code: (.*)\r$/im.exec(received)?.[1];
  const shown = received.slice(0, 300);
  return [
    ...(status !== undefined && expected.includes(status)
      ? []
      : [`answered ${status ?? 'nothing'}, not ${expected.join(' or ')}: ${shown}`]),
    ...(others.length > 0 ? [`${others.length + 1} responses to one request`] : []),
    ...(safe.code !== undefined && code !== safe.code ? [`the error code is ${code}`] : []),
    ...(safe.mustMatch !== undefined && !safe.mustMatch.test(received)
      ? [`does not match ${safe.mustMatch}`]
      : []),
    ...(safe.mustNotMatch?.test(received) ? [`matches ${safe.mustNotMatch}`] : []),
    ...(INTERNALS.test(received) ? [`contains internals: ${shown}`] : []),
  ];
}

function describeSafe({ status, code }: SafeAnswer): string {
  return `one response with ${[status].flat().join(' or ')}${code === undefined ? '' : ` ${code}`}`;
}
