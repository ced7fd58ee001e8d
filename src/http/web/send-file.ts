import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import { takeForResponse } from '../gate/request-memory.ts';
import { headerOf, isUnchanged } from '../requests/conditional.ts';
import { varyByEncoding } from '../responses/compression.ts';
import { nextPart } from '../responses/response-turns.ts';
import { chooseEncoding, type Encoding } from './accept-encoding.ts';

/** Memory for a response whose bytes are shared by all clients. */
const SHARED_BYTES = 16 * 1024;

/** A public file whose bytes are kept and shared by all responses. */
export interface PublicFile {
  readonly type: string;
  /** The encodings of which a compressed copy exists, best first. */
  readonly encodings: readonly Encoding[];
  /** `undefined` if the file does not exist any more. */
  read(encoding: Encoding | undefined): Promise<FileContent | undefined>;
}

export interface FileContent {
  readonly etag: string;
  readonly bytes: Buffer;
}

/** Sends a file in the encoding that the client prefers, or 304 if the client has it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PublicFile,
  cacheControl: string,
): Promise<FastifyReply> {
  takeForResponse(reply, SHARED_BYTES);
  const encoding = chooseEncoding(file.encodings, headerOf(request, 'accept-encoding'));
  const content = await file.read(encoding);
  if (content === undefined) throw new Problem('unknown_route');
  const { etag, bytes } = content;
  varyByEncoding(reply);
  reply.header('cache-control', cacheControl);
  reply.header('etag', etag);
  if (isUnchanged(request, etag)) return reply.code(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  reply.type(file.type);
  if (request.method === 'HEAD') return reply.header('content-length', bytes.length).send();
  // The system copies the bytes, which takes a millisecond for the largest files.
  await nextPart(bytes.length);
  return reply.send(bytes);
}
