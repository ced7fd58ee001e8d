import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { FeedChange } from '../../domain/reports/change.ts';
import { type ListRequest, listFeed } from '../../operations/reports/list-feed.ts';
import { readAllChanges, readChanges } from '../../operations/reports/read-changes.ts';
import { reportHistory } from '../../operations/reports/report-history.ts';
import { showReport } from '../../operations/reports/show-report.ts';
import type { ReportText } from '../../ports/feed-store.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import {
  changesOfAllQuery,
  changesQuery,
  DEFAULT_PAGE_SIZE,
  listQuery,
  toFilter,
} from '../requests/feed-query.ts';
import { reportParams, serviceParams } from '../requests/parameters.ts';
import { sendPage } from '../responses/page-response.ts';
import { presentExamined, presentHistory } from '../responses/present-c2.ts';
import {
  changePage,
  changePageOfAll,
  reportHistory as historySchema,
  reportPage,
  reportShown,
} from '../responses/report-schemas.ts';
import { refusals } from '../responses/schemas.ts';
import {
  serializeChange,
  serializeChangeOfAll,
  serializeExtended,
} from '../responses/serialize-report.ts';

const tags = ['Feeds'];

/** What any live account may read of feeds. */
export function feedListingRoutes(app: App, deps: HttpDependencies): void {
  const sendList = listSender(deps);

  app.route({
    method: 'GET',
    url: '/feed/:service/reports',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'List the reports of a feed',
      description:
        'Newest first. A cursor is valid only with the same filters and order; the limit may change. A page may be short or empty although `hasMore` is true.',
      operationId: 'listReports',
      tags,
      params: serviceParams,
      querystring: listQuery,
      response: { 200: reportPage, ...refusals(400, 401, 404, 429) },
      responseHeaders: { 200: ['Link'] },
    },
    handler: (request, reply) => sendList(request, reply, request.service.slug, request.query),
  });

  app.route({
    method: 'GET',
    url: '/feed/all/reports',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'List the reports of all feeds',
      description: 'Like the list of one feed.',
      operationId: 'listAllReports',
      tags,
      querystring: listQuery,
      response: { 200: reportPage, ...refusals(400, 401, 429) },
      responseHeaders: { 200: ['Link'] },
    },
    handler: (request, reply) => sendList(request, reply, undefined, request.query),
  });

  app.route({
    method: 'GET',
    url: '/feed/:service/reports/:id',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Show a report with its status',
      description:
        'Also whether the configuration in its file confirms it, which lists do not say. Spends no quota.',
      operationId: 'showReport',
      tags,
      params: reportParams,
      response: { 200: reportShown, ...refusals(400, 401, 404, 429) },
    },
    async handler({ caller, service, params }) {
      const shown = await showReport(deps, service, params.id);
      return {
        report: presentExamined(shown, deps.knownLists(), caller),
        successful: true as const,
      };
    },
  });

  app.route({
    method: 'GET',
    url: '/feed/:service/reports/:id/history',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Show what happened to a report',
      description:
        'Its creation, every status since statuses are recorded, and its last other change.',
      operationId: 'reportHistory',
      tags,
      params: reportParams,
      response: { 200: historySchema, ...refusals(400, 401, 404, 429) },
    },
    handler: async ({ caller, service, params }) =>
      presentHistory(await reportHistory(deps, service, params.id), caller),
  });

  app.route({
    method: 'GET',
    url: '/feed/:service/changes',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Read the changes of a feed',
      description:
        'Creations, changes and deletions in order of their numbers, without gaps. Starts with the first one by default; continue with `next`.',
      operationId: 'feedChanges',
      tags,
      params: serviceParams,
      querystring: changesQuery,
      response: { 200: changePage, ...refusals(400, 401, 404, 410, 429) },
    },
    async handler({ caller, service, query: { since = 0, limit = DEFAULT_PAGE_SIZE } }, reply) {
      const reader = { viewer: caller, lists: deps.knownLists() };
      const present = (changes: readonly FeedChange[]) =>
        changes.map((change) => serializeChange(change, reader)).join();
      const range = { since, limit };
      const { next, head, hasMore, parts } = await readChanges(deps, service.slug, range, present);
      return sendPage(reply, {
        list: 'changes',
        parts,
        members: { hasMore, next, head, successful: true },
      });
    },
  });

  app.route({
    method: 'GET',
    url: '/feed/all/changes',
    config: { access: 'token', endsWithPermission: 'response' },
    schema: {
      summary: 'Read the changes of all feeds',
      description:
        'Like the changes of one feed. The numbers of each feed stay in order; a position covers all feeds.',
      operationId: 'allChanges',
      tags,
      querystring: changesOfAllQuery,
      response: { 200: changePageOfAll, ...refusals(400, 401, 410, 429) },
    },
    async handler({ caller, query: { since, limit = DEFAULT_PAGE_SIZE } }, reply) {
      const reader = { viewer: caller, lists: deps.knownLists() };
      const present = (changes: readonly FeedChange[]) =>
        changes.map((change) => serializeChangeOfAll(change, reader)).join();
      const { next, head, hasMore, parts } = await readAllChanges(deps, { since, limit }, present);
      return sendPage(reply, {
        list: 'changes',
        parts,
        members: { hasMore, next, head, successful: true },
      });
    },
  });
}

function listSender(deps: HttpDependencies) {
  return async (
    { url, caller }: FastifyRequest,
    reply: FastifyReply,
    scope: string | undefined,
    query: z.output<typeof listQuery>,
  ) => {
    const listRequest: ListRequest = {
      scope,
      filter: toFilter(query),
      order: query.order ?? 'desc',
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_PAGE_SIZE,
      count: query.count === 'true',
    };
    const reader = { viewer: caller, lists: deps.knownLists() };
    const present = (reports: readonly ReportText[]) =>
      reports.map((report) => serializeExtended(report, reader)).join();
    const { parts, nextCursor, counted } = await listFeed(deps, listRequest, present);
    return sendPage(reply, {
      list: 'reports',
      parts,
      members: {
        nextCursor: nextCursor ?? null,
        hasMore: nextCursor !== undefined,
        ...(counted && { total: counted.total }),
        ...(counted?.isLowerBound && { totalIsLowerBound: true as const }),
        successful: true,
      },
      setHeaders: () => {
        if (nextCursor !== undefined)
          reply.header('link', `<${deps.baseUrl()}${withCursor(url, nextCursor)}>; rel="next"`);
      },
    });
  };
}

/**
 * The URL of the next page. It is serialized anew, so that no unescaped input gets into a header.
 */
function withCursor(url: string, cursor: string): string {
  const { pathname, searchParams } = new URL(url, 'http://server.invalid');
  searchParams.set('cursor', cursor);
  return `${pathname}?${searchParams}`;
}
