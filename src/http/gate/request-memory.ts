import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { Log } from '../../observability/log.ts';
import type { MemoryKind } from '../../observability/memory-metrics.ts';
import type { App } from '../fastify-types.ts';
import type { Lease, MemoryBudget } from './memory-budget.ts';

/** Bodies and answers up to this size are not counted: thousands of them make little, and they must keep working. */
const SMALL_BYTES = 8 * 1024;

/** Counts the bodies and answers of all routes against the budget. Those that are read or made in parts count themselves. */
export function trackMemory(app: App, memory: MemoryBudget, log: Log): void {
  app.decorate('memory', memory);
  app.decorate('logAbortedResponse', (err: unknown, requestId: string) =>
    log.error({ err, requestId }, 'an answer broke off'),
  );
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.config?.takes !== undefined) return;
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

/** Counts an answer that was made whole; or why it is refused. For hooks, which must not throw. */
function countResponse(reply: FastifyReply, bytes: number): Error | undefined {
  const { request, server } = reply;
  const isRead = request.method === 'GET' && reply.statusCode === 200;
  // One that is charged, or tells of what was changed, must not be refused any more.
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
  // One that is too large is refused for that.
  const isCounted = bytes > SMALL_BYTES && bytes <= limit;
  done((isCounted ? holdForBody(reply, 'bodies', bytes) : undefined) ?? null, payload);
}

/** Holds so much while the body is read; or why it is refused. For hooks, which must not throw. */
export function holdForBody(
  reply: FastifyReply,
  kind: MemoryKind,
  bytes: number,
): Error | undefined {
  const { request, server } = reply;
  try {
    const lease = server.memory.take(kind, bytes, accountOf(request));
    request.raw.once('close', () => lease.release());
    // Its caller may have gone while the token was checked.
    holdForResponse(reply, lease);
    return undefined;
  } catch (refusal) {
    return refusal as Error;
  }
}

/** Answers for which memory was taken before they were made. */
const counted = new WeakSet<object>();

/** Takes memory for an answer before anything is charged for it, or refuses it. */
export function takeForResponse(reply: FastifyReply, bytes: number): void {
  const { request, server } = reply;
  holdForResponse(reply, server.memory.take('answers', bytes, accountOf(request)));
  counted.add(reply.raw);
}

/**
 * The same for an answer whose parts differ in size: what is returned counts how much is held from then on.
 */
export function takeForParts(reply: FastifyReply, bytes: number): (bytes: number) => void {
  const { request, server } = reply;
  const accountId = accountOf(request);
  let lease = server.memory.take('answers', bytes, accountId);
  let isReleased = false;
  holdForResponse(reply, {
    release: () => {
      isReleased = true;
      lease.release();
    },
  });
  return (changed) => {
    if (isReleased) return;
    const previous = lease;
    lease = server.memory.hold('answers', changed, accountId);
    // Released earlier, it would be given to those who wait for memory.
    previous.release();
  };
}

/** The same for an answer that is charged already: it waits until there is memory, or its caller gone. */
export async function reserveForResponse(
  reply: FastifyReply,
  bytes: number,
  accountId: string,
): Promise<void> {
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  reply.raw.once('close', abort);
  try {
    const lease = await reply.server.memory.reserve(bytes, accountId, disconnected.signal);
    holdForResponse(reply, lease);
    counted.add(reply.raw);
  } catch (cause) {
    // Nobody is there to read it.
    throw new Problem('overloaded', { cause });
  } finally {
    reply.raw.off('close', abort);
  }
}

/** Until the answer is out, or its caller gone. */
export function holdForResponse({ raw }: FastifyReply, lease: Lease): void {
  if (raw.closed) lease.release();
  else raw.once('close', () => lease.release());
}

/** All who call public routes share what one account may hold. */
const ANONYMOUS = '';

/** Who is counted for it. */
function accountOf(request: FastifyRequest): string {
  // Fastify's decorator makes it `undefined` where nobody was identified.
  const { caller } = request as Partial<Pick<FastifyRequest, 'caller'>>;
  return caller?.accountId ?? ANONYMOUS;
}
