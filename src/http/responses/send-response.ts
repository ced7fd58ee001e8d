import { pipeline, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { createCompressor, type StreamEncoding } from './compression.ts';
import { nextPart } from './response-turns.ts';

const LONG = 16 * 1024;

/** Sends JSON that is stored serialized, whole or in pieces. */
export function sendSerialized(reply: FastifyReply, ...json: readonly string[]): FastifyReply {
  const length = json.reduce((sum, piece) => sum + piece.length, 0);
  // Node copies long strings at three times their size; buffers are passed on without a copy.
  const payload = length > LONG ? encode(json) : json.join('');
  return reply.type('application/json; charset=utf-8').send(payload);
}

/** Concatenating the texts first would copy them once more. */
function encode(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let end = 0;
  for (const text of texts) end += bytes.write(text, end);
  return bytes;
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
  encoding?: StreamEncoding,
): Promise<FastifyReply> {
  const { request, server } = reply;
  const chunks = encodeChunks(text);
  const first = await chunks.next();
  const body = Readable.from(continueWith(first, chunks), { objectMode: false, highWaterMark: 1 });
  body.on('error', (error) => server.logAbortedResponse(error, request.id));
  reply.type(contentType);
  if (encoding === undefined) return reply.send(body);
  reply.header('content-encoding', encoding);
  return reply.send(pipeline(body, createCompressor(encoding), () => undefined));
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
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk);
    if (bytes.length > 0) yield bytes;
    await nextPart(bytes.length);
  }
}
