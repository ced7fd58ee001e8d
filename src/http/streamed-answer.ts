import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Produced ahead of what the connection has taken. */
const HIGH_WATER_MARK_BYTES = 64 * 1024;

/**
 * Sends an answer chunk by chunk, as the client reads it. A failure before the first chunk is answered as any other; one
 * after it closes the connection, so that a cut answer never looks complete.
 */
export function sendStreamed(
  reply: FastifyReply,
  contentType: string,
  chunks: AsyncIterable<string>,
): FastifyReply {
  const options = { objectMode: false, highWaterMark: HIGH_WATER_MARK_BYTES };
  return reply.type(contentType).send(Readable.from(chunks, options));
}
