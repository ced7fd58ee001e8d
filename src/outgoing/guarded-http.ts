import { Resolver } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as requestSecurely } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { mayConnectTo } from '../domain/webhooks/public-address.ts';
import type {
  OutgoingFailure,
  OutgoingHttp,
  OutgoingRequest,
  OutgoingResult,
} from '../ports/outgoing.ts';
import { type OutgoingRules, readTarget, type Target } from './target.ts';

export interface GuardedHttpOptions extends OutgoingRules {
  /** All addresses of a name. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** For everything together: name, connection, answer. */
  readonly timeoutMs?: number;
  readonly maxConnections?: number;
  /** Certificates that are trusted instead of those of the system. */
  readonly ca?: string;
}

const TIMEOUT_MS = 20_000;
const MAX_CONNECTIONS = 64;
/** So much of an answer is read, so that whoever sends it can finish; then the connection is cut. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * The one way out. The name is looked up once, every address of it is checked, and the connection is made to these
 * very addresses: what the name says a moment later does not matter. No redirect is followed and no proxy used.
 */
export class GuardedHttp implements OutgoingHttp {
  readonly #options: GuardedHttpOptions;
  readonly #resolve: (name: string) => Promise<readonly string[]>;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor(options: GuardedHttpOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? resolveAll;
    // Agents of our own: the global ones may have been told to use a proxy.
    const agent = { maxTotalSockets: options.maxConnections ?? MAX_CONNECTIONS };
    this.#http = new HttpAgent(agent);
    this.#https = new HttpsAgent(options.ca === undefined ? agent : { ...agent, ca: options.ca });
  }

  refusal(url: string): string | undefined {
    const target = readTarget(url, this.#options);
    return typeof target === 'string' ? target : undefined;
  }

  async post(asked: OutgoingRequest): Promise<OutgoingResult> {
    const target = readTarget(asked.url, this.#options);
    if (typeof target === 'string') return failed('refused');
    const timeout = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    const signal = AbortSignal.any([timeout, ...(asked.signal ? [asked.signal] : [])]);
    try {
      const addresses = await unlessAborted(signal, this.#addressesOf(target));
      if (typeof addresses === 'string') return failed(addresses);
      return await this.#exchange(target, addresses, { ...asked, signal });
    } catch (cause) {
      if (timeout.aborted) return failed('timeout');
      return failed(signal.aborted ? 'interrupted' : failureOf(cause));
    }
  }

  async #addressesOf({ host, isAddress }: Target): Promise<readonly string[] | OutgoingFailure> {
    // An address was checked when the URL was read.
    if (isAddress) return [host];
    const addresses = await this.#resolve(host).catch(() => []);
    if (addresses.length === 0) return 'unresolved';
    const { allowedNetworks } = this.#options;
    // One bad address is enough: which of them is taken would be up to chance, or to whoever owns the name.
    return addresses.every((one) => mayConnectTo(one, allowedNetworks)) ? addresses : 'refused';
  }

  async #exchange(
    target: Target,
    addresses: readonly string[],
    { body, headers, signal }: OutgoingRequest,
  ): Promise<OutgoingResult> {
    const send = target.secure ? requestSecurely : request;
    const outgoing = send({
      method: 'POST',
      host: target.host,
      port: target.port,
      path: target.path,
      agent: target.secure ? this.#https : this.#http,
      lookup: only(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      ...(signal && { signal }),
      // A certificate is for a name; for an address it is checked against that.
      ...(target.secure && { servername: target.isAddress ? '' : target.host }),
      headers: {
        ...headers,
        host: target.authority,
        'content-length': String(Buffer.byteLength(body)),
      },
    });
    const answer = await answerTo(outgoing, body);
    const { statusCode: status = 0, headers: answered } = answer;
    const isWhole = await discard(answer);
    // Whoever broke off in the middle of its answer may not have kept what it was told.
    if (!isWhole && !signal?.aborted) return failed('unreachable');
    return { kind: 'answered', status, retryAfter: answered['retry-after'] };
  }
}

/** Gives these addresses for whatever name: nothing is looked up where a connection is made. */
function only(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all: wantsAll }, done) => {
    const [first] = all;
    if (wantsAll || first === undefined) done(null, all);
    else done(null, first.address, first.family);
  };
}

/**
 * Asked of the name servers directly: the lookups of the system share a few threads, which names that are slow to
 * resolve would take from all others.
 */
async function resolveAll(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

function answerTo(outgoing: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.once('close', () => reject(new Error('the connection ended without an answer')));
    // Nobody is given a connection for another protocol.
    outgoing.once('upgrade', (_, socket) => socket.destroy());
    outgoing.end(body);
  });
}

/** Reads a little and keeps nothing. Whether that came whole: what is too long, and cut off by us, counts as such. */
function discard(answer: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let left = MAX_ANSWER_BYTES;
    answer.on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left <= 0) answer.destroy();
    });
    answer.on('error', () => undefined);
    answer.once('close', () => resolve(answer.complete || left <= 0));
  });
}

function unlessAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function failed(failure: OutgoingFailure): OutgoingResult {
  return { kind: 'failed', failure };
}

/** OpenSSL's and Node's words for a certificate that does not hold. */
const UNTRUSTED = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT_|CRL_/;

function failureOf(cause: unknown): OutgoingFailure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return UNTRUSTED.test(code) ? 'untrusted' : 'unreachable';
}
