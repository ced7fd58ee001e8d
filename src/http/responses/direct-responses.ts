import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as http from '../../platform/node-http.ts';
import type { RecordRequest } from '../fastify-types.ts';
import { HEADERS } from './response-headers.ts';
import { sendSerialized } from './send-response.ts';

/** The memory of longer responses is counted, which fastify's hooks do. */
const MAX_BODY_LENGTH = 8 * 1024;

const JSON_TYPE = 'application/json; charset=utf-8';
/** A line break would let a value add headers. */
const INVALID_VALUE = /[^\t\x20-\x7e]/;
const STATUS_LINES = { 200: 'HTTP/1.1 200 OK\r\n', 201: 'HTTP/1.1 201 Created\r\n' } as const;
const COMMON_LINES = `${linesOf({ ...HEADERS, 'content-type': JSON_TYPE })}content-length: `;

/** What Node's `writeHead` sets. `direct-responses.test.ts` fails if it changes. */
interface NodeResponse extends ServerResponse {
  /** Status line and headers. Node sends them with the first bytes of the body. */
  _header: string | null;
  readonly _keepAliveTimeout: number;
  readonly _defaultKeepAlive: boolean;
  readonly _removedConnection: boolean;
  readonly _expect_continue: boolean;
  readonly maxRequestsOnConnectionReached: boolean;
}

export interface DirectResponse {
  readonly status: keyof typeof STATUS_LINES;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Sends the JSON responses of a busy route past fastify and with a header block of its own. Fastify
 * and Node check each header of each response, which takes a tenth of the time of a fetch.
 */
export class DirectResponses {
  readonly #record: RecordRequest;

  constructor(record: RecordRequest) {
    this.#record = record;
  }

  send(request: FastifyRequest, reply: FastifyReply, response: DirectResponse): void {
    const { status, body, headers } = response;
    if (body.length > MAX_BODY_LENGTH) {
      void sendSerialized(reply.code(status).headers(headers ?? {}), body);
      return;
    }
    const raw = reply.raw as NodeResponse;
    const bytes = Buffer.byteLength(body);
    const block = isPlain(raw) ? headerBlock(raw, request, response, bytes) : undefined;
    reply.hijack();
    this.#record(request, status);
    if (block === undefined) {
      raw.writeHead(status, headersOf(request, response, bytes)).end(body);
      return;
    }
    raw.statusCode = status;
    raw._header = block;
    // Text of ASCII only is written without conversion.
    raw.end(body, bytes === body.length ? 'latin1' : 'utf8');
  }
}

function headersOf(
  { id, rateHeaders }: FastifyRequest,
  { headers }: DirectResponse,
  bytes: number,
): Record<string, string> {
  return {
    'x-request-id': id,
    ...HEADERS,
    ...rateHeaders,
    ...headers,
    'content-type': JSON_TYPE,
    'content-length': String(bytes),
  };
}

/**
 * Whether Node would add the usual headers: the connection is kept alive, and nobody has set a
 * header. The responses of `inject` are no plain ones.
 */
function isPlain(raw: NodeResponse): boolean {
  return (
    raw.constructor === http.ServerResponse &&
    raw.shouldKeepAlive &&
    !raw.maxRequestsOnConnectionReached &&
    raw._defaultKeepAlive &&
    !raw._removedConnection &&
    !raw._expect_continue &&
    raw._keepAliveTimeout > 0 &&
    !raw.hasHeader('connection') &&
    // Is set with the headers for other origins, if there are any.
    !raw.hasHeader('vary')
  );
}

/** Like `headersOf`, as text and with the headers that Node adds. */
function headerBlock(
  raw: NodeResponse,
  { id, rateHeaders }: FastifyRequest,
  { status, headers }: DirectResponse,
  bytes: number,
): string {
  const others = linesOf(rateHeaders) + linesOf(headers);
  return `${STATUS_LINES[status]}x-request-id: ${id}\r\n${others}${COMMON_LINES}${bytes}\r\n${nodeLines(raw)}\r\n`;
}

function linesOf(headers: Readonly<Record<string, string>> | undefined): string {
  let lines = '';
  for (const name in headers) {
    const value = headers[name] as string;
    if (INVALID_VALUE.test(value)) throw new TypeError(`the header ${name} has an invalid value`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

let cachedLines: string | undefined;
let cachedTimeoutMs = 0;

/** The headers that Node adds. They change once a second, when a timer drops them. */
function nodeLines({ _keepAliveTimeout: timeoutMs }: NodeResponse): string {
  if (cachedLines === undefined || timeoutMs !== cachedTimeoutMs) {
    const now = new Date();
    if (cachedLines === undefined) {
      const drop = () => {
        cachedLines = undefined;
      };
      setTimeout(drop, 1000 - now.getUTCMilliseconds()).unref();
    }
    cachedTimeoutMs = timeoutMs;
    cachedLines = `Date: ${now.toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(timeoutMs / 1000)}\r\n`;
  }
  return cachedLines;
}
