import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

const LONG = 16 * 1024;

/** Sends what was stored ready to be sent: JSON that needs no serializer. */
export function sendSerialized(reply: FastifyReply, json: string): FastifyReply {
  // Of a long text Node makes a copy of three times its size; bytes are handed on as they are.
  const payload = json.length > LONG ? Buffer.from(json) : json;
  return reply.type('application/json; charset=utf-8').send(payload);
}

/**
 * Sends an answer that is made as its caller reads it, and that memory was taken or reserved for. An error before the
 * first chunk is refused like any other; after it the connection is cut off, so that half an answer never looks whole.
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
