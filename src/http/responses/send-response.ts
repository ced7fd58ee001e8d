import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const LONG = 16 * 1024;

/** Sends JSON that is stored serialized. */
export function sendSerialized(reply: FastifyReply, json: string): FastifyReply {
  // Node copies long strings at three times their size; buffers are passed on without a copy.
  const payload = json.length > LONG ? Buffer.from(json) : json;
  return reply.type('application/json; charset=utf-8').send(payload);
}

/**
 * Streams a response whose memory was counted or reserved before. An error before the first chunk
 * is answered as usual. A later one closes the connection, so that a truncated response never looks
 * complete.
 */
export async function sendStream(
  reply: FastifyReply,
  contentType: string,
  text: AsyncIterable<string>,
): Promise<FastifyReply> {
  const { request, server } = reply;
  const chunks = encodeChunks(text);
  const first = await chunks.next();
  const body = Readable.from(continueWith(first, chunks), { objectMode: false, highWaterMark: 1 });
  body.on('error', (error) => server.logAbortedResponse(error, request.id));
  return reply.type(contentType).send(body);
}

/** Ends the source if the client disconnects. */
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
