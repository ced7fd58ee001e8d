import { pipeline, Readable, type Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../domain/problem.ts';
import { exportFeed } from '../../../operations/reports/export-feed.ts';
import type {
  ExportRange,
  ExportRequest,
  ExportVersion,
  OpenExport,
} from '../../../ports/exports.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { AccountSlots } from '../../gate/account-slots.ts';
import { takeForResponse } from '../../gate/request-memory.ts';
import { parseRange } from '../../requests/byte-range.ts';
import { headerOf, isUnchanged } from '../../requests/conditional.ts';
import {
  acceptedEncoding,
  COMPRESSOR_BYTES,
  createCompressor,
  STREAM_ENCODINGS,
  type StreamEncoding,
  varyByEncoding,
} from '../../responses/compression.ts';

/** Memory for the pieces of a file, and for compressing them. */
const HELD_BYTES = 512 * 1024 + COMPRESSOR_BYTES;

/** A file that is built once for each version, and how it is sent. */
export interface SentExport {
  readonly export: ExportRequest;
  readonly mediaType: string;
  readonly isCompressed: boolean;
  /** The name under which it is saved; none if it is read by a program. */
  readonly fileName?: string;
  /** Thrown instead of sending a file without bytes. */
  readonly emptyProblem?: () => Problem;
}

type SendExport = (
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentExport,
) => Promise<FastifyReply>;

/** Sends exports, within the limits of each account. */
export function exportSender(deps: HttpDependencies): SendExport {
  const slots = new AccountSlots(deps.accountLimits.exports, 'too_many_exports');
  return async (request, reply, sent) => {
    const accepted = sent.isCompressed ? undefined : acceptedEncoding(request);
    const closed = closeSignalOf(reply);
    const isKnown = ({ tag }: ExportVersion) =>
      isUnchanged(request, ...[undefined, ...STREAM_ENCODINGS].map((one) => etagOf(tag, one)));
    const { accountId } = request.caller;
    const admit = () => {
      whenAborted(closed, slots.take(accountId));
      takeForResponse(reply, HELD_BYTES);
    };
    const found = await exportFeed(deps, sent.export, {
      ...{ isKnown, wantsBytes: request.method === 'GET', admit, accountId, signal: closed },
    });
    if ('bytes' in found) {
      whenAborted(closed, () => found.close());
      return sendBytes(request, reply, { found, sent, accepted });
    }
    setHeaders(reply, found, accepted);
    if (isKnown(found)) return reply.code(304).send();
    describeFile(reply, sent, accepted);
    return reply.send();
  };
}

interface FoundFile {
  readonly found: OpenExport;
  readonly sent: SentExport;
  readonly accepted: StreamEncoding | undefined;
}

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { found, sent, accepted }: FoundFile,
): Promise<FastifyReply> {
  const range = rangeOf(request, reply, found);
  // Only the file itself is stored, so parts of it are not compressed.
  const encoding = range === undefined ? accepted : undefined;
  const stream = await streamOf(found, sent, { reply, encoding, range });
  setHeaders(reply, found, encoding);
  describeFile(reply, sent, encoding);
  if (encoding === undefined) setSizes(reply, found.size(), range);
  return reply.send(stream);
}

function describeFile(
  reply: FastifyReply,
  { mediaType, fileName }: SentExport,
  encoding: StreamEncoding | undefined,
): void {
  reply.type(mediaType);
  if (fileName !== undefined)
    reply.header('content-disposition', `attachment; filename="${fileName}"`);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
}

/** One listener for all that ends with the response: Node warns of more than ten. */
function closeSignalOf({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  if (raw.closed) closed.abort();
  else raw.once('close', () => closed.abort());
  return closed.signal;
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

/** Each coding has its own tag: they are different bytes (RFC 9110, section 8.8.3.3). */
function etagOf(tag: string, encoding: StreamEncoding | undefined): string {
  return `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
}

function setHeaders(
  reply: FastifyReply,
  { tag, changedAt }: ExportVersion,
  encoding: StreamEncoding | undefined,
): void {
  varyByEncoding(reply, 'Authorization');
  reply.headers({
    etag: etagOf(tag, encoding),
    'last-modified': new Date(changedAt).toUTCString(),
    'cache-control': 'private, no-cache',
  });
}

/**
 * The part that `Range` asks for, of a file that is written. A client whose part is of another
 * version or coding (`If-Range`) gets the whole file, and so does one that asks while it is built.
 */
function rangeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  found: OpenExport,
): ExportRange | undefined {
  const size = found.size();
  const version = headerOf(request, 'if-range');
  const isOther = version !== undefined && version !== etagOf(found.tag, undefined);
  if (size === undefined || isOther) return undefined;
  const range = parseRange(headerOf(request, 'range'), size);
  if (range !== 'unsatisfiable') return range;
  reply.header('content-range', `bytes */${size}`);
  throw new Problem('range_not_satisfiable', { parameters: { size } });
}

/** The size of a file is known once it is written. */
function setSizes(
  reply: FastifyReply,
  size: number | undefined,
  range: ExportRange | undefined,
): void {
  if (size === undefined) return;
  const { start, end } = range ?? { start: 0, end: size };
  reply.headers({ 'accept-ranges': 'bytes', 'content-length': end - start });
  if (range !== undefined)
    reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
}

interface Sending {
  readonly reply: FastifyReply;
  readonly encoding: StreamEncoding | undefined;
  readonly range: ExportRange | undefined;
}

/**
 * If it fails, the connection is closed before its end, so that the client notices. An export that
 * must not be empty is sent once its first bytes are written.
 */
async function streamOf(
  found: OpenExport,
  { emptyProblem }: SentExport,
  { reply, encoding, range }: Sending,
): Promise<Readable> {
  const compressor = encoding === undefined ? undefined : createCompressor(encoding);
  const receiver: Writable = compressor ?? reply.raw;
  let bytes: Readable | undefined;
  const unsentBytes = () => (bytes?.readableLength ?? 0) + receiver.writableLength;
  const pieces = found.bytes(unsentBytes, range);
  const whole = emptyProblem === undefined ? pieces : await notEmpty(pieces, emptyProblem);
  bytes = Readable.from(whole, { objectMode: false, highWaterMark: 1 });
  return compressor === undefined ? bytes : pipeline(bytes, compressor, () => undefined);
}

/** The same pieces, once the first of them was read. */
async function notEmpty(
  pieces: AsyncIterable<Buffer>,
  problem: () => Problem,
): Promise<AsyncIterable<Buffer>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) throw problem();
  return continueWith(first.value, iterator);
}

async function* continueWith(
  first: Buffer,
  others: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void> {
  try {
    yield first;
    for (;;) {
      const next = await others.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await others.return?.();
  }
}
