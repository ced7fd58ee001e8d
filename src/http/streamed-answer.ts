import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { accountOf } from './held-memory.ts';
import type { Lease, MemoryBudget } from './memory-budget.ts';

/** One waits in the connection, one behind it. */
const CHUNKS_HELD = 2;

/**
 * Sends an answer that is made as its caller reads it. An error before the first chunk is refused like any other;
 * after it the connection is cut off, so that half an answer never looks whole. What is held at a time is counted:
 * the chunk that waits in the connection, and the one behind it.
 */
export async function sendStreamed(
  reply: FastifyReply,
  contentType: string,
  chunks: AsyncIterable<string>,
): Promise<FastifyReply> {
  const { memory } = reply.server;
  const accountId = accountOf(reply.request);
  memory.admit('answers', accountId);
  return await send(reply, contentType, countChunks(memory, accountId, chunks));
}

/** The same for an answer that memory was reserved for, and that must not be refused any more. */
export async function sendReserved(
  reply: FastifyReply,
  contentType: string,
  chunks: AsyncIterable<string>,
): Promise<FastifyReply> {
  return await send(reply, contentType, encodeChunks(chunks));
}

async function send(
  reply: FastifyReply,
  contentType: string,
  chunks: AsyncGenerator<Buffer>,
): Promise<FastifyReply> {
  const { request, server } = reply;
  const first = await chunks.next();
  const body = Readable.from(continueWith(first, chunks), { objectMode: false, highWaterMark: 1 });
  body.on('error', (error) => server.logBrokenAnswer(error, request.id));
  return reply.type(contentType).send(body);
}

/** A caller that went away wants no more of it: the generator is ended with this one. */
async function* continueWith(
  first: IteratorResult<Buffer>,
  others: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done) return;
  try {
    yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}

async function* encodeChunks(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) if (chunk !== '') yield Buffer.from(chunk);
}

async function* countChunks(
  memory: MemoryBudget,
  accountId: string,
  chunks: AsyncIterable<string>,
): AsyncGenerator<Buffer> {
  const held: Lease[] = [];
  try {
    for await (const bytes of encodeChunks(chunks)) {
      held.push(memory.hold('answers', bytes.length, accountId));
      if (held.length > CHUNKS_HELD) held.shift()?.release();
      yield bytes;
    }
  } finally {
    for (const lease of held) lease.release();
  }
}
