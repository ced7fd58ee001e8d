import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Exporter, ExportFile } from '../../../exports/exporter.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import {
  exportOfAllParams,
  exportParams,
  exportQuery,
  findExporter,
  readOptions,
} from '../../requests/export-query.ts';
import { toFilter } from '../../requests/feed-query.ts';
import { exportFile, exportPart, notModified } from '../../responses/export-schemas.ts';
import { refusals } from '../../responses/schemas.ts';
import { exportSender, type SentExport } from './send-export.ts';

const tags = ['Feeds'];
const HEADERS = ['ETag', 'Last-Modified', 'Content-Disposition', 'Accept-Ranges'] as const;
/** Both operations answer alike. */
const RESPONSE = {
  200: exportFile,
  206: exportPart,
  304: notModified,
  ...refusals(400, 401, 404, 416, 429),
};
const RESPONSE_HEADERS = {
  200: HEADERS,
  206: [...HEADERS, 'Content-Range'],
  304: ['ETag'],
} as const;

/** Feeds as files, in the formats of other programs. */
export function feedExportRoutes(app: App, deps: HttpDependencies): void {
  const sendExport = exportSender(deps);
  const send = (request: FastifyRequest, reply: FastifyReply, asked: Asked) =>
    sendExport(request, reply, sentExportOf(asked));
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
        'All reports that match the filters, as they were at one moment. Expired reports only with `status=expired`. Every format ends visibly, so that a file that was cut off can be told. An unchanged file is answered with 304 to `If-None-Match`. Once the file is built, `Range` with one range is answered with 206.',
      operationId: 'exportFeed',
      tags,
      response: RESPONSE,
      responseHeaders: RESPONSE_HEADERS,
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
      response: RESPONSE,
      responseHeaders: RESPONSE_HEADERS,
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

function sentExportOf({ scope, format, query }: Asked): SentExport {
  const exporter = findExporter(format);
  const options = readOptions(exporter, query);
  const { extension, ...file } = fileOf(exporter, options);
  return {
    ...file,
    export: { format, scope, filter: toFilter(query), options },
    fileName: `${scope ?? 'all'}.${extension}`,
  };
}

interface SentFile extends Pick<ExportFile, 'mediaType' | 'extension'> {
  readonly isCompressed: boolean;
}

function fileOf(exporter: Exporter, options: Readonly<Record<string, string>>): SentFile {
  if (exporter.archive?.(options) !== undefined)
    return { mediaType: 'application/gzip', extension: 'tar.gz', isCompressed: true };
  return { ...exporter, ...exporter.variant?.(options), isCompressed: false };
}
