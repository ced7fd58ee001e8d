import { pipeline, Readable, type Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../../domain/problem.ts';
import { exportFeed } from '../../../operations/reports/export-feed.ts';
import type { ExportRequest, ExportVersion, OpenExport } from '../../../ports/exports.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { AccountSlots } from '../../gate/account-slots.ts';
import { takeForResponse } from '../../gate/request-memory.ts';
import { headerOf, isUnchanged } from '../../requests/conditional.ts';
import { chooseEncoding } from '../../web/accept-encoding.ts';

/** Memory for the pieces of a file, and for compressing them. */
const HELD_BYTES = 768 * 1024;
/** A level more takes half as long again, and saves a twentieth of the bytes. */
const GZIP = { level: 1, chunkSize: 64 * 1024 };

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
    const encoding = sent.isCompressed
      ? undefined
      : chooseEncoding(['gzip'], headerOf(request, 'accept-encoding'));
    const closed = closeSignalOf(reply);
    const isKnown = ({ tag }: ExportVersion) =>
      isUnchanged(request, etagOf(tag, undefined), etagOf(tag, 'gzip'));
    const { accountId } = request.caller;
    const admit = () => {
      whenAborted(closed, slots.take(accountId));
      takeForResponse(reply, HELD_BYTES);
    };
    const found = await exportFeed(deps, sent.export, {
      ...{ isKnown, wantsBytes: request.method === 'GET', admit, accountId, signal: closed },
    });
    const stream =
      'bytes' in found ? await streamOf(found, sent, { reply, closed, encoding }) : undefined;
    setHeaders(reply, found, encoding);
    if (stream === undefined && isKnown(found)) return reply.code(304).send();
    reply.type(sent.mediaType);
    if (sent.fileName !== undefined)
      reply.header('content-disposition', `attachment; filename="${sent.fileName}"`);
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return stream === undefined ? reply.send() : reply.send(stream);
  };
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

type Encoding = ReturnType<typeof chooseEncoding>;

/** Each coding has its own tag: they are different bytes (RFC 9110, section 8.8.3.3). */
function etagOf(tag: string, encoding: Encoding): string {
  return `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
}

function setHeaders(
  reply: FastifyReply,
  { tag, changedAt }: ExportVersion,
  encoding: Encoding,
): void {
  // The header for other origins, if there is one.
  const vary = reply.raw.getHeader('vary');
  reply.headers({
    etag: etagOf(tag, encoding),
    'last-modified': new Date(changedAt).toUTCString(),
    'cache-control': 'private, no-cache',
    vary: [vary ?? [], 'Accept-Encoding', 'Authorization'].flat().join(', '),
  });
}

interface Sending {
  readonly reply: FastifyReply;
  readonly closed: AbortSignal;
  readonly encoding: Encoding;
}

/**
 * If it fails, the connection is closed before its end, so that the client notices. An export that
 * must not be empty is sent once its first bytes are written.
 */
async function streamOf(
  found: OpenExport,
  { emptyProblem }: SentExport,
  { reply, closed, encoding }: Sending,
): Promise<Readable> {
  whenAborted(closed, () => found.close());
  const gzip =
    encoding === undefined ? undefined : createGzip({ ...GZIP, flush: constants.Z_NO_FLUSH });
  const receiver: Writable = gzip ?? reply.raw;
  let bytes: Readable | undefined;
  const unsentBytes = () => (bytes?.readableLength ?? 0) + receiver.writableLength;
  const pieces = found.bytes(unsentBytes);
  const whole = emptyProblem === undefined ? pieces : await notEmpty(pieces, emptyProblem);
  bytes = Readable.from(whole, { objectMode: false, highWaterMark: 1 });
  return gzip === undefined ? bytes : pipeline(bytes, gzip, () => undefined);
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
