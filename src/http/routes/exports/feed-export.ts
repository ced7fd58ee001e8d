import { pipeline, Readable, type Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Exporter, ExportFile } from '../../../exports/exporter.ts';
import { exportFeed } from '../../../operations/reports/export-feed.ts';
import type { ExportVersion, OpenExport } from '../../../ports/exports.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { AccountSlots } from '../../gate/account-slots.ts';
import { takeForResponse } from '../../gate/request-memory.ts';
import { headerOf, isUnchanged } from '../../requests/conditional.ts';
import {
  exportOfAllParams,
  exportParams,
  exportQuery,
  findExporter,
  readOptions,
} from '../../requests/export-query.ts';
import { toFilter } from '../../requests/feed-query.ts';
import { exportFile, notModified } from '../../responses/export-schemas.ts';
import { refusals } from '../../responses/schemas.ts';
import { chooseEncoding } from '../../web/accept-encoding.ts';

const tags = ['Feeds'];
const HEADERS = ['ETag', 'Last-Modified', 'Content-Disposition'] as const;

/** Memory for the pieces of a file, and for compressing them. */
const HELD_BYTES = 768 * 1024;
/** A level more takes half as long again, and saves a twentieth of the bytes. */
const GZIP = { level: 1, chunkSize: 64 * 1024 };

/** Feeds as files, in the formats of other programs. */
export function feedExportRoutes(app: App, deps: HttpDependencies): void {
  const send = exportSender(deps);
  const ofFeed = {
    url: '/feed/:service/export/:format',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: { params: exportParams, querystring: exportQuery },
  } as const;
  const ofAll = {
    ...ofFeed,
    url: '/feed/all/export/:format',
    schema: { params: exportOfAllParams, querystring: exportQuery },
  } as const;

  app.route({
    ...ofFeed,
    method: 'GET',
    schema: {
      ...ofFeed.schema,
      summary: 'Export a feed as a file',
      description:
        'All reports that match the filters, as they were at one moment. Expired reports only with `status=expired`. Every format ends visibly, so that a file that was cut off can be told. An unchanged file is answered with 304 to `If-None-Match`.',
      operationId: 'exportFeed',
      tags,
      response: { 200: exportFile, 304: notModified, ...refusals(400, 401, 404, 429) },
      responseHeaders: { 200: HEADERS, 304: ['ETag'] },
    },
    handler: (request, reply) =>
      send(request, reply, {
        scope: request.service.slug,
        format: request.params.format,
        query: request.query,
      }),
  });

  app.route({
    ...ofAll,
    method: 'GET',
    schema: {
      ...ofAll.schema,
      summary: 'Export all feeds as a file',
      description: 'Like the export of one feed.',
      operationId: 'exportAllFeeds',
      tags,
      response: { 200: exportFile, 304: notModified, ...refusals(400, 401, 404, 429) },
      responseHeaders: { 200: HEADERS, 304: ['ETag'] },
    },
    handler: (request, reply) =>
      send(request, reply, {
        scope: undefined,
        format: request.params.format,
        query: request.query,
      }),
  });

  app.route({
    ...ofFeed,
    method: 'HEAD',
    schema: { ...ofFeed.schema, hide: true },
    handler: (request, reply) =>
      send(request, reply, {
        scope: request.service.slug,
        format: request.params.format,
        query: request.query,
      }),
  });

  app.route({
    ...ofAll,
    method: 'HEAD',
    schema: { ...ofAll.schema, hide: true },
    handler: (request, reply) =>
      send(request, reply, {
        scope: undefined,
        format: request.params.format,
        query: request.query,
      }),
  });
}

interface Asked {
  readonly scope: string | undefined;
  readonly format: string;
  readonly query: z.output<typeof exportQuery>;
}

function exportSender(deps: HttpDependencies) {
  const slots = new AccountSlots(deps.accountLimits.exports, 'too_many_exports');
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    { scope, format, query }: Asked,
  ): Promise<FastifyReply> => {
    const exporter = findExporter(format);
    const options = readOptions(exporter, query);
    const file = fileOf(exporter, options);
    const encoding = file.isCompressed
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
    const found = await exportFeed(
      deps,
      { format, scope, filter: toFilter(query), options },
      { isKnown, wantsBytes: request.method === 'GET', admit, accountId, signal: closed },
    );
    setHeaders(reply, found, encoding);
    if (!('bytes' in found) && isKnown(found)) return reply.code(304).send();
    reply.type(file.mediaType);
    reply.header('content-disposition', dispositionOf(scope, file));
    if (encoding !== undefined) reply.header('content-encoding', encoding);
    return 'bytes' in found
      ? reply.send(streamOf(found, { reply, closed, encoding }))
      : reply.send();
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

interface SentFile extends Pick<ExportFile, 'mediaType' | 'extension'> {
  readonly isCompressed: boolean;
}

function fileOf(exporter: Exporter, options: Readonly<Record<string, string>>): SentFile {
  if (exporter.archive?.(options) !== undefined)
    return { mediaType: 'application/gzip', extension: 'tar.gz', isCompressed: true };
  return { ...exporter, ...exporter.variant?.(options), isCompressed: false };
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

function dispositionOf(scope: string | undefined, { extension }: SentFile): string {
  return `attachment; filename="${scope ?? 'all'}.${extension}"`;
}

interface Sending {
  readonly reply: FastifyReply;
  readonly closed: AbortSignal;
  readonly encoding: Encoding;
}

/** If it fails, the connection is closed before its end, so that the client notices. */
function streamOf(found: OpenExport, { reply, closed, encoding }: Sending): Readable {
  whenAborted(closed, () => found.close());
  const gzip =
    encoding === undefined ? undefined : createGzip({ ...GZIP, flush: constants.Z_NO_FLUSH });
  const receiver: Writable = gzip ?? reply.raw;
  const unsentBytes = () => bytes.readableLength + receiver.writableLength;
  const bytes = Readable.from(found.bytes(unsentBytes), { objectMode: false, highWaterMark: 1 });
  return gzip === undefined ? bytes : pipeline(bytes, gzip, () => undefined);
}
