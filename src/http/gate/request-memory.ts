import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { Log } from '../../observability/log.ts';
import type { MemoryKind } from '../../observability/memory-metrics.ts';
import type { App } from '../fastify-types.ts';
import type { HeldMemory, MemoryBudget } from './memory-budget.ts';

/**
 * Smaller bodies and responses are not counted: thousands of them use little memory, and they must
 * work under load.
 */
const SMALL_BYTES = 8 * 1024;

/**
 * Counts the bodies and responses of all routes against the budget. Streamed ones are counted by
 * their routes.
 */
export function trackMemory(app: App, memory: MemoryBudget, log: Log): void {
  app.decorate('memory', memory);
  app.decorate('logAbortedResponse', (err: unknown, requestId: string) =>
    log.error({ err, requestId }, 'a response was aborted'),
  );
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.config?.bodyType !== undefined) return;
    route.preParsing = [countBody, ...[route.preParsing ?? []].flat()];
  });
  app.addHook('onSend', (_, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    const isCounted = bytes > SMALL_BYTES && !counted.has(reply.raw);
    const refusal = isCounted ? countResponse(reply, bytes) : undefined;
    if (refusal === undefined) done(null, payload);
    else done(refusal);
  });
}

/**
 * Counts a response that is in memory. Returns the refusal if there is no memory: hooks must not
 * throw.
 */
function countResponse(reply: FastifyReply, bytes: number): Error | undefined {
  const { request, server } = reply;
  const isRead = request.method === 'GET' && reply.statusCode === 200;
  // A response that is charged or that reports a change must not be refused any more.
  if (!isRead || reply.hasHeader('x-ratelimit-limit')) {
    holdForResponse(reply, server.memory.hold('answers', bytes, accountOf(request)));
    return undefined;
  }
  try {
    takeForResponse(reply, bytes);
    return undefined;
  } catch (refusal) {
    return refusal as Error;
  }
}

function countBody(
  { headers, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
  done: (error: Error | null, payload: RequestPayload) => void,
): void {
  const limit = routeOptions.bodyLimit ?? 0;
  const isSized = headers['transfer-encoding'] === undefined;
  const bytes = isSized ? Number(headers['content-length'] ?? 0) : limit;
  // A body above the limit is refused with 413 later.
  const isCounted = bytes > SMALL_BYTES && bytes <= limit;
  done((isCounted ? holdForBody(reply, 'bodies', bytes) : undefined) ?? null, payload);
}

/**
 * Counts memory until the body has been read. Returns the refusal if there is none: hooks must not
 * throw.
 */
export function holdForBody(
  reply: FastifyReply,
  kind: MemoryKind,
  bytes: number,
): Error | undefined {
  const { request, server } = reply;
  try {
    const held = server.memory.take(kind, bytes, accountOf(request));
    request.raw.once('close', () => held.release());
    // The client may have disconnected while the token was checked.
    holdForResponse(reply, held);
    return undefined;
  } catch (refusal) {
    return refusal as Error;
  }
}

/** Responses whose memory was counted before they were produced. */
const counted = new WeakSet<object>();

/** Counts memory for a response before its call is charged, or throws `overloaded`. */
export function takeForResponse(reply: FastifyReply, bytes: number): void {
  const { request, server } = reply;
  holdForResponse(reply, server.memory.take('answers', bytes, accountOf(request)));
  counted.add(reply.raw);
}

/**
 * Like `takeForResponse`, for a response whose parts differ in size. The returned function sets how
 * much the response holds from now on.
 */
export function takeForParts(reply: FastifyReply, bytes: number): (bytes: number) => void {
  const { request, server } = reply;
  const accountId = accountOf(request);
  let held = server.memory.take('answers', bytes, accountId);
  let isReleased = false;
  holdForResponse(reply, {
    release: () => {
      isReleased = true;
      held.release();
    },
  });
  return (changed) => {
    if (isReleased) return;
    const previous = held;
    held = server.memory.hold('answers', changed, accountId);
    // If it were released first, a pending reservation could be granted in between.
    previous.release();
  };
}

/**
 * Like `takeForResponse`, for a call that has been charged: waits for memory until the client
 * disconnects.
 */
export async function reserveForResponse(
  reply: FastifyReply,
  bytes: number,
  accountId: string,
): Promise<void> {
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  reply.raw.once('close', abort);
  try {
    const held = await reply.server.memory.reserve(bytes, accountId, disconnected.signal);
    holdForResponse(reply, held);
    counted.add(reply.raw);
  } catch (cause) {
    // The client has disconnected, so this is not sent.
    throw new Problem('overloaded', { cause });
  } finally {
    reply.raw.off('close', abort);
  }
}

/** Holds the memory until the response is closed. */
export function holdForResponse({ raw }: FastifyReply, held: HeldMemory): void {
  if (raw.closed) held.release();
  else raw.once('close', () => held.release());
}

/** All callers of public routes share the limit of one account. */
const ANONYMOUS = '';

function accountOf(request: FastifyRequest): string {
  // Fastify's decorator leaves it `undefined` on public routes.
  const { caller } = request as Partial<Pick<FastifyRequest, 'caller'>>;
  return caller?.accountId ?? ANONYMOUS;
}
