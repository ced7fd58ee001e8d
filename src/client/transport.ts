import { RapsheetError } from './error.ts';
import type { FormBody } from './form.ts';
import { parseQuota, parseRetryAfter } from './headers.ts';
import { isWorthRepeating, type Repeat, waitBefore } from './retry.ts';
import type { Failure } from './wire.ts';

export interface TransportOptions {
  /** Where the server is, with or without a path before ours: `https://abuse.example`. */
  readonly url: string;
  /** `undefined` for what is public. */
  readonly token?: string | undefined;
  /** How often a call is tried again at most; 4 by default. */
  readonly retries?: number;
  /** How long all waiting of one call together may take; half a minute by default. */
  readonly maxWaitMs?: number;
  /** How long one attempt may take; half a minute by default. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

export type Lines = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | string;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With everything in it that is not ours already encoded. */
  readonly path: string;
  readonly repeat: Repeat;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly lines?: Lines;
  /** Sent instead of `body`; made anew for every attempt. */
  readonly form?: () => FormBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Breaks it off. */
  readonly signal?: AbortSignal | undefined;
}

export interface Reply<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

const DEFAULTS: Required<Omit<TransportOptions, 'url' | 'token'>> = {
  retries: 4,
  maxWaitMs: 30_000,
  timeoutMs: 30_000,
  // Wrapped, since a browser's fetch does not work as a method of another object.
  fetch: (input, init) => fetch(input, init),
  now: Date.now,
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

/** Sends calls: one after the other attempt, until one is answered or it makes no sense to go on. */
export class Transport {
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #options: typeof DEFAULTS;

  constructor(options: TransportOptions) {
    this.#url = readUrl(options.url);
    this.#token = readToken(options.token);
    this.#options = { ...DEFAULTS, ...options };
  }

  send<Body>(call: Call): Promise<Reply<Body>> {
    return this.#repeat(call, () => this.#attempt<Body>(call));
  }

  /** For an answer that is no JSON: its bytes as they come. */
  open(call: Call): Promise<Reply<ReadableStream<Uint8Array>>> {
    return this.#repeat(call, () => this.#openOnce(call));
  }

  sleep(ms: number): Promise<void> {
    return this.#options.sleep(ms);
  }

  async #repeat<Body>(
    call: Call,
    attemptOnce: () => Promise<Reply<Body> | RapsheetError>,
  ): Promise<Reply<Body>> {
    const { retries, maxWaitMs, sleep, random } = this.#options;
    let waitedMs = 0;
    let isDoubtful = false;
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptOnce();
      if (!(result instanceof RapsheetError)) return result;
      const waitMs = waitBefore(attempt, result, random());
      const mayGoOn = attempt <= retries && waitedMs + waitMs <= maxWaitMs;
      if (!mayGoOn || call.signal?.aborted || !isWorthRepeating(result, call.repeat))
        throw mention(result, isDoubtful);
      isDoubtful ||= call.method !== 'GET' && result.status !== 429 && result.status !== 503;
      await sleep(waitMs);
      waitedMs += waitMs;
    }
  }

  async #attempt<Body>(call: Call): Promise<Reply<Body> | RapsheetError> {
    // A stream takes as long as it takes.
    const signal = isStreamed(call) ? undefined : AbortSignal.timeout(this.#options.timeoutMs);
    try {
      const response = await this.#fetch(call, signal);
      return this.#read<Body>(response, await response.text());
    } catch (cause) {
      return this.#noAnswer(cause);
    }
  }

  async #openOnce(call: Call): Promise<Reply<ReadableStream<Uint8Array>> | RapsheetError> {
    const late = new AbortController();
    // A body that is streamed takes as long as it takes.
    const timer = isStreamed(call)
      ? undefined
      : setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), this.#options.timeoutMs);
    const signals = call.signal === undefined ? [late.signal] : [late.signal, call.signal];
    try {
      const response = await this.#fetch(call, AbortSignal.any(signals));
      const { ok, body, headers } = response;
      if (ok && body !== null) return { body, headers };
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
    return {
      method,
      // Another address is another server, which is not to get the token.
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
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
    return this.#error(`${this.#url} ${describeOdd(response)}.`, { ...about, code });
  }

  /** Texts come from the other side as well: whatever they hold, the token goes no further. */
  #error(message: string, details: ConstructorParameters<typeof RapsheetError>[1]): RapsheetError {
    const told = this.#token === undefined ? message : message.replaceAll(this.#token, '[token]');
    return new RapsheetError(told, details);
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
  if (lines !== undefined) return { type: 'application/x-ndjson', payload: lines };
  if (form !== undefined) {
    const made = form();
    return { type: made.type, payload: made.body };
  }
  if (body === undefined) return { type: undefined, payload: undefined };
  return { type: 'application/json', payload: JSON.stringify(body) };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isFit =
    url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (!isFit || url.search + url.hash !== '')
    throw new RapsheetError(
      'The URL of the server must be an http or https URL without user name, password and query.',
      { code: 'bad_options' },
    );
  let { href } = url;
  while (href.endsWith('/')) href = href.slice(0, -1);
  return href;
}

/** What cannot stand in a header would come back in the text of an error. */
function readToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new RapsheetError('The token has characters that no token has.', { code: 'bad_options' });
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What failed, as the network calls it: `ECONNREFUSED`, or that the time was over. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  if (cause.name === 'TimeoutError') return ' in time';
  const { code } = (cause.cause ?? cause) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}

function describeOdd({ status, ok, headers }: Response): string {
  const location = headers.get('location');
  // Browsers hide where to, and say 0.
  if (status < 400 && !ok)
    return `answers with a redirect to ${location ?? 'elsewhere'}: use the address of the server itself`;
  if (!ok) return `answered ${status} without saying why`;
  const type = headers.get('content-type') ?? 'no type';
  return `answered with something that is not JSON or not all of it (${type})`;
}

/** The refusal of a repeated call may be due to its first attempt: what is deleted is not there any more. */
function mention(error: RapsheetError, isDoubtful: boolean): RapsheetError {
  if (!isDoubtful || error.code === 'no_answer') return error;
  return new RapsheetError(
    `${error.message} (An earlier attempt got no answer and may have been carried out.)`,
    error,
  );
}
