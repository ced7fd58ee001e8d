import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { mayConnectTo } from '../domain/public-address.ts';
import type {
  OutgoingFailure,
  OutgoingGet,
  OutgoingHttp,
  OutgoingRequest,
  OutgoingResult,
  ReadResult,
} from '../ports/outgoing.ts';
import { Dns } from './dns.ts';
import { type OutgoingRules, readTarget, type Target } from './target.ts';

export interface GuardedHttpOptions extends OutgoingRules {
  /** Returns all addresses of a name. Rejects if that cannot be found out. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** For name resolution, connection and response together. */
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
  /** Trusted certificates, instead of those of the system. */
  readonly ca?: string;
}

const TIMEOUT_MS = 20_000;
const MAX_CONNECTIONS = 64;
/**
 * Read and discarded, so that the receiver can finish its response. Then the connection is closed.
 */
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * An HTTP client that connects only to allowed addresses. It resolves the name once, checks every
 * address, and connects to one of the checked addresses, so a later change of the name (DNS
 * rebinding) has no effect. It follows no redirect and uses no proxy.
 */
export class GuardedHttp implements OutgoingHttp {
  readonly #options: GuardedHttpOptions;
  readonly #resolve: (name: string) => Promise<readonly string[]>;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor(options: GuardedHttpOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? ((name) => new Dns().addressesOf(name));
    // Own agents: the global ones may be configured to use a proxy.
    const agent = { maxTotalSockets: options.maxConnections ?? MAX_CONNECTIONS };
    this.#http = new HttpAgent(agent);
    this.#https = new HttpsAgent(options.ca === undefined ? agent : { ...agent, ca: options.ca });
  }

  refusal(url: string): string | undefined {
    const target = readTarget(url, this.#options);
    return typeof target === 'string' ? target : undefined;
  }

  async post(request: OutgoingRequest): Promise<OutgoingResult> {
    const { body, headers } = request;
    return this.#send(request, async (exchange) => {
      const response = await this.#exchange(exchange, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      });
      const { statusCode: status = 0, headers: responseHeaders } = response;
      const isComplete = await discardBody(response);
      // A receiver that breaks its response off may not have stored the delivery.
      if (!isComplete && !exchange.signal.aborted) return failed('unreachable');
      return { kind: 'answered', status, retryAfter: responseHeaders['retry-after'] };
    });
  }

  async get(request: OutgoingGet): Promise<ReadResult> {
    const { headers, maxBytes } = request;
    return this.#send(request, async (exchange) => {
      const response = await this.#exchange(exchange, { method: 'GET', body: '', headers });
      const body = await readBody(response, maxBytes);
      if (body === undefined) return failed(exchange.signal.aborted ? 'timeout' : 'unreachable');
      return { kind: 'answered', status: response.statusCode ?? 0, ...body };
    });
  }

  /** Checks the URL and its addresses, and turns every failure into a result. */
  async #send<Result>(
    request: Pick<OutgoingRequest, 'url' | 'signal'>,
    send: (exchange: Exchange) => Promise<Result>,
  ): Promise<Result | Failed> {
    const target = readTarget(request.url, this.#options);
    if (typeof target === 'string') return failed('refused');
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    const signal = AbortSignal.any([timeout, ...(request.signal ? [request.signal] : [])]);
    try {
      const addresses = await rejectOnAbort(signal, this.#addressesOf(target));
      if (typeof addresses === 'string') return failed(addresses);
      return await send({ target, addresses, signal });
    } catch (cause) {
      if (timeout.aborted) return failed('timeout');
      return failed(signal.aborted ? 'interrupted' : failureOf(cause));
    }
  }

  async #addressesOf({ host, isAddress }: Target): Promise<readonly string[] | OutgoingFailure> {
    // An address in the URL was checked by `readTarget`.
    if (isAddress) return [host];
    const addresses = await this.#resolve(host).catch(() => undefined);
    if (addresses === undefined) return 'unanswered';
    if (addresses.length === 0) return 'unresolved';
    const { allowedNetworks } = this.#options;
    // One forbidden address refuses all: the owner of the name controls which one is used.
    return addresses.every((address) => mayConnectTo(address, allowedNetworks))
      ? addresses
      : 'refused';
  }

  #exchange(
    { target, addresses, signal }: Exchange,
    { method, body, headers }: Message,
  ): Promise<IncomingMessage> {
    const open = target.secure ? httpsRequest : httpRequest;
    const outgoing = open({
      method,
      host: target.host,
      port: target.port,
      path: target.path,
      agent: target.secure ? this.#https : this.#http,
      lookup: pinnedLookup(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      // Without a server name, the certificate is checked against the address.
      ...(target.secure && { servername: target.isAddress ? '' : target.host }),
      headers: { ...headers, host: target.authority },
    });
    return sendBody(outgoing, body);
  }
}

interface Exchange {
  readonly target: Target;
  /** Checked. */
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}

interface Message {
  readonly method: 'GET' | 'POST';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Failed = Extract<OutgoingResult, { readonly kind: 'failed' }>;

/** Returns these addresses for any name, so that the connection makes no DNS query. */
function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all: wantsAll }, done) => {
    const [first] = all;
    if (wantsAll || first === undefined) done(null, all);
    else done(null, first.address, first.family);
  };
}

function sendBody(outgoing: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.once('close', () => reject(new Error('the connection ended without a response')));
    // A switch to another protocol is not accepted.
    outgoing.once('upgrade', (_, socket) => socket.destroy());
    outgoing.end(body);
  });
}

/** Returns whether the response is complete. One that exceeds the limit counts as complete. */
function discardBody(response: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let remaining = MAX_RESPONSE_BYTES;
    response.on('data', (piece: Buffer) => {
      remaining -= piece.length;
      if (remaining <= 0) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => resolve(response.complete || remaining <= 0));
  });
}

/** `undefined` if the response broke off. One that exceeds the limit is cut, and not read on. */
function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean } | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      const isCut = size > maxBytes;
      if (!response.complete && !isCut) resolve(undefined);
      else resolve({ body: Buffer.concat(pieces).subarray(0, maxBytes), isCut });
    });
  });
}

function rejectOnAbort<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function failed(failure: OutgoingFailure): Failed {
  return { kind: 'failed', failure };
}

/** Error codes of OpenSSL and Node for an invalid certificate. */
const UNTRUSTED = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT_|CRL_/;

function failureOf(cause: unknown): OutgoingFailure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return UNTRUSTED.test(code) ? 'untrusted' : 'unreachable';
}
