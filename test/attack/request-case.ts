import type { AttackCase } from './case.ts';
import type { Role, Target } from './target.ts';
import { type Exchange, exchange } from './wire.ts';

/** What a request says; every part is sent as it stands, nothing is normalised. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

interface SafeAnswer {
  /** The only answer has one of these statuses. */
  readonly status: number | readonly number[];
  /** Closing the connection without a word is safe as well. */
  readonly mayClose?: boolean;
  /** Its `X-Error-Code`, where it matters which. */
  readonly code?: string;
  /** What must be in it. */
  readonly mustMatch?: RegExp;
  /** What must not be in it. */
  readonly mustNotMatch?: RegExp;
}

/** One request and the safe answer to it: the form in which most attacks are written down. */
export interface RequestCase {
  readonly name: string;
  readonly as?: Role;
  readonly send: Sent | ((target: Target) => Sent | Promise<Sent>);
  readonly safe: SafeAnswer;
}

/** No answer shows where it was made, or of what. */
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

/** Bytes of a connection as they are, for what is not even a request. */
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
    ...(others.length > 0 ? [`${others.length + 1} answers to one request`] : []),
    ...(safe.code !== undefined && code !== safe.code ? [`the code is ${code}`] : []),
    ...(safe.mustMatch !== undefined && !safe.mustMatch.test(received)
      ? [`does not say ${safe.mustMatch}`]
      : []),
    ...(safe.mustNotMatch?.test(received) ? [`says ${safe.mustNotMatch}`] : []),
    ...(INTERNALS.test(received) ? [`shows internals: ${shown}`] : []),
  ];
}

function describeSafe({ status, code }: SafeAnswer): string {
  return `one answer with ${[status].flat().join(' or ')}${code === undefined ? '' : ` ${code}`}`;
}
