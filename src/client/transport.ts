import { RapsheetError } from './error.ts';
import type { FormBody } from './form.ts';
import { parseQuota, parseRetryAfter } from './headers.ts';
import { isRetryable, type RetryPolicy, retryDelayMs } from './retry.ts';
import type { Failure } from './wire.ts';

export interface TransportOptions {
  /** The base URL of the server, with an optional path prefix: `https://abuse.example`. */
  readonly url: string;
  /** `undefined` for public operations. */
  readonly token?: string | undefined;
  /**
   * For a page of the server itself, instead of a token: the browser sends the cookie of its
   * session, and the calls carry the header that proves that a page of the server makes them.
   */
  readonly sameOrigin?: boolean;
  /** The maximum number of retries of a call; 4 by default. */
  readonly retries?: number;
  /** The maximum total delay between the attempts of a call; 30 seconds by default. */
  readonly maxWaitMs?: number;
  /** The timeout of one attempt; 30 seconds by default. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

export type Lines = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | string;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With percent-encoded parameters. */
  readonly path: string;
  readonly retry: RetryPolicy;
  readonly body?: unknown;
  /** Sent unchanged as NDJSON, instead of `body`. */
  readonly lines?: Lines;
  /** Sent instead of `body`; called once per attempt. */
  readonly form?: () => FormBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface Reply<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

const DEFAULTS: Required<Omit<TransportOptions, 'url' | 'token'>> = {
  sameOrigin: false,
  retries: 4,
  maxWaitMs: 30_000,
  timeoutMs: 30_000,
  // Wrapped, because a browser's `fetch` throws when called as a method of another object.
  fetch: (input, init) => fetch(input, init),
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

const NOT_MODIFIED = 304;

/** Sends calls and retries them by the policy of `retry.ts`. */
export class Transport {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #options: typeof DEFAULTS;

  constructor(options: TransportOptions) {
    this.#url = readUrl(options.url);
    this.#token = readToken(options.token);
    if (this.#token !== undefined && options.sameOrigin === true)
      throw new RapsheetError('Use either a token or `sameOrigin`.', { code: 'bad_options' });
    this.#options = { ...DEFAULTS, ...options };
  }

  send<Body>(call: Call): Promise<Reply<Body>> {
    return this.#retry(call, () => this.#attempt<Body>(call));
  }

  /** For an answer that is not JSON: returns the stream of its bytes. */
  async open(call: Call): Promise<Reply<ReadableStream<Uint8Array>>> {
    const { body, headers } = await this.openIfChanged(call);
    if (body === undefined) throw this.#noAnswer(undefined);
    return { body, headers };
  }

  /** Like `open`, for a call with `If-None-Match`: the body is `undefined` if it is unchanged. */
  openIfChanged(call: Call): Promise<Reply<ReadableStream<Uint8Array> | undefined>> {
    return this.#retry(call, () => this.#openOnce(call));
  }

  sleep(ms: number): Promise<void> {
    return this.#options.sleep(ms);
  }

  async #retry<Body>(
    call: Call,
    attemptOnce: () => Promise<Reply<Body> | RapsheetError>,
  ): Promise<Reply<Body>> {
    refuseDotSegments(call.path);
    const { retries, maxWaitMs, sleep, random } = this.#options;
    let waitedMs = 0;
    let mayHaveActed = false;
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptOnce();
      if (!(result instanceof RapsheetError)) return result;
      const waitMs = retryDelayMs(attempt, result, random());
      const mayRetry = attempt <= retries && waitedMs + waitMs <= maxWaitMs;
      if (!mayRetry || call.signal?.aborted || !isRetryable(result, call.retry))
        throw mentionAttempts(result, mayHaveActed);
      mayHaveActed ||= call.method !== 'GET' && result.status !== 429 && result.status !== 503;
      await sleep(waitMs);
      waitedMs += waitMs;
    }
  }

  async #attempt<Body>(call: Call): Promise<Reply<Body> | RapsheetError> {
    // Streamed bodies have no timeout.
    const signal = isStreamed(call) ? undefined : AbortSignal.timeout(this.#options.timeoutMs);
    try {
      const response = await this.#fetch(call, signal);
      return this.#read<Body>(response, await response.text());
    } catch (cause) {
      return this.#noAnswer(cause);
    }
  }

  async #openOnce(
    call: Call,
  ): Promise<Reply<ReadableStream<Uint8Array> | undefined> | RapsheetError> {
    const late = new AbortController();
    // Streamed bodies have no timeout.
    const timer = isStreamed(call)
      ? undefined
      : setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), this.#options.timeoutMs);
    const signals = call.signal === undefined ? [late.signal] : [late.signal, call.signal];
    try {
      const response = await this.#fetch(call, AbortSignal.any(signals));
      const { ok, body, headers } = response;
      if (ok && body !== null) return { body, headers };
      if (response.status === NOT_MODIFIED) return { body: undefined, headers };
      const refusal = this.#read<never>(response, await response.text());
      return refusal instanceof RapsheetError ? refusal : this.#noAnswer(undefined);
    } catch (cause) {
      return this.#noAnswer(cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #fetch(call: Call, signal: AbortSignal | undefined): Promise<Response> {
    return this.#options.fetch(`${this.#url}${call.path}`, {
      ...this.#requestOf(call),
      ...(signal !== undefined && { signal }),
    });
  }

  #noAnswer(cause: unknown): RapsheetError {
    return this.#error(`No complete answer came from ${this.#url}${reasonOf(cause)}.`, {
      code: 'no_answer',
    });
  }

  #requestOf({ method, headers, ...call }: Call): RequestInit {
    const { type, payload } = payloadOf(call);
    const { sameOrigin } = this.#options;
    return {
      method,
      // A cookie beside a token would never be read.
      credentials: sameOrigin ? 'same-origin' : 'omit',
      // A redirect would send the token to another server.
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(sameOrigin && { 'x-rapsheet-request': '1' }),
        ...(type !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(payload !== undefined && { body: payload, duplex: 'half' as const }),
    };
  }

  #read<Body>(response: Response, text: string): Reply<Body> | RapsheetError {
    const { status, headers } = response;
    const body = parseObject(text);
    if (response.ok && body !== undefined) return { body: body as Body, headers };
    const about = {
      status,
      requestId: headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: parseRetryAfter(headers.get('retry-after'), this.#options.now()),
      quota: parseQuota(headers),
    };
    const code = headers.get('x-error-code') ?? 'bad_answer';
    const { error } = (body ?? {}) as Partial<Failure>;
    if (typeof error === 'string') return this.#error(error, { ...about, code });
    return this.#error(`${this.#url} ${describeBadAnswer(response)}.`, { ...about, code });
  }

  /** Removes the token from texts of the server, which may echo it. */
  #error(message: string, details: ConstructorParameters<typeof RapsheetError>[1]): RapsheetError {
    const safe = this.#token === undefined ? message : message.replaceAll(this.#token, '[token]');
    return new RapsheetError(safe, details);
  }
}

function isStreamed({ lines, form }: Call): boolean {
  return lines !== undefined || form !== undefined;
}

interface Payload {
  readonly type: string | undefined;
  readonly payload: RequestInit['body'];
}

function payloadOf({ body, lines, form }: Pick<Call, 'body' | 'lines' | 'form'>): Payload {
  if (lines !== undefined)
    return { type: 'application/x-ndjson', payload: lines as RequestInit['body'] };
  if (form !== undefined) {
    const { type, body: payload } = form();
    return { type, payload };
  }
  if (body === undefined) return { type: undefined, payload: undefined };
  return { type: 'application/json', payload: JSON.stringify(body) };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBaseUrl =
    url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (!isBaseUrl || url.search + url.hash !== '')
    throw new RapsheetError(
      'The URL of the server must be an http or https URL without user name, password and query.',
      { code: 'bad_options' },
    );
  let { href } = url;
  while (href.endsWith('/')) href = href.slice(0, -1);
  return href;
}

/**
 * A URL resolves these segments, even if they are percent-encoded: a call with `..` as an id would
 * be another call.
 */
function refuseDotSegments(path: string): void {
  if (/\/\.\.?(?=[/?]|$)/.test(path.split('?', 1)[0] ?? ''))
    throw new RapsheetError('"." and ".." are no names and no ids.', { code: 'bad_options' });
}

/** `fetch` would quote a token that is no valid header value in its error message. */
function readToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new RapsheetError('The token contains characters that no token has.', {
    code: 'bad_options',
  });
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The system error code, such as `ECONNREFUSED`, or the timeout. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  if (cause.name === 'TimeoutError') return ' in time';
  const { code } = (cause.cause ?? cause) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}

function describeBadAnswer({ status, ok, headers }: Response): string {
  const location = headers.get('location');
  // Browsers report a redirect as status 0 without a location.
  if (status < 400 && !ok)
    return `answers with a redirect to ${location ?? 'elsewhere'}: use the address of the server itself`;
  if (!ok) return `answered ${status} without saying why`;
  const type = headers.get('content-type') ?? 'no type';
  return `answered with a body that is not JSON or not all of it (${type})`;
}

/**
 * The refusal of a retried call may be caused by its first attempt: a deleted report is not found.
 */
function mentionAttempts(error: RapsheetError, mayHaveActed: boolean): RapsheetError {
  if (!mayHaveActed || error.code === 'no_answer') return error;
  return new RapsheetError(
    `${error.message} (An earlier attempt got no answer and may have been carried out.)`,
    error,
  );
}
