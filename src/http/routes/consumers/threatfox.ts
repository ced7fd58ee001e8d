import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireRole } from '../../../domain/accounts/require-role.ts';
import type { Ioc } from '../../../exports/threatfox/iocs.ts';
import {
  type FoundReports,
  findReportByNumber,
  findReports,
  inSequence,
  MAX_REPORTS,
  recentReports,
  type SearchTerm,
  searchReports,
} from '../../../operations/reports/find-iocs.ts';
import { submitIocs } from '../../../operations/reports/submit-iocs.ts';
import { findService } from '../../../operations/services/find-service.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { AccountSlots, releaseWith } from '../../gate/account-slots.ts';
import { takeUnits } from '../../gate/rate-limit.ts';
import { takeForParts } from '../../gate/request-memory.ts';
import { THREATFOX_URL } from '../../poller-urls.ts';
import { skipValidation } from '../../requests/field-rules.ts';
import { encodingRefusal } from '../../requests/media-type.ts';
import {
  isRefusal,
  parseThreatfoxQuery,
  type ThreatfoxQuery,
} from '../../requests/threatfox-query.ts';
import type { Submission } from '../../requests/threatfox-submission.ts';
import {
  type FindService,
  type IocContext,
  iocsOfReport,
  threatfoxAnswer,
  threatfoxRefusals,
  threatfoxReply,
} from '../../responses/consumers/threatfox-documents.ts';
import { type LabelQuery, labelsOf, namesOf } from '../../responses/consumers/threatfox-labels.ts';
import { sendStream } from '../../responses/send-response.ts';
import { OLD_THREATFOX_URL } from '../moved.ts';

const BODY_LIMIT = 16 * 1024;
/** A part of the answer as rows, as JSON and as bytes. */
const PART_BYTES = 256 * 1024;
const NO_RESULT = { query_status: 'no_result' };

/** Must be registered in its own scope, because only this route accepts any content type. */
export function threatfoxRoutes(app: App, deps: HttpDependencies): void {
  const slots = new AccountSlots(deps.accountLimits.exports, 'too_many_exports');
  app.removeAllContentTypeParsers();
  // curl sends a form, and many scripts no type at all.
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    const refusal = encodingRefusal(request);
    if (refusal !== undefined) done(refusal);
    else done(null, { text: body });
  });
  app.addHook('preSerialization', (_, reply, payload, done) => {
    done(null, reply.statusCode < 400 ? payload : { ...asObject(payload), ...statusOf(reply) });
  });

  for (const url of [THREATFOX_URL, OLD_THREATFOX_URL]) addRoute(app, deps, slots, url);
}

function addRoute(app: App, deps: HttpDependencies, slots: AccountSlots, url: string): void {
  app.route({
    method: 'POST',
    url,
    config: { access: 'token', endsWithPermission: 'response' },
    bodyLimit: BODY_LIMIT,
    schema: {
      hide: url === OLD_THREATFOX_URL,
      summary: 'Query indicators as from ThreatFox',
      description: `For connectors that read ThreatFox; all feeds are searched. The body is JSON with any content type. \`get_iocs\`: the indicators of the last \`days\` (1 to 7, by default 3). \`search_ioc\`: those that match \`search_term\`, the whole with \`exact_match\`. \`search_hash\`: the C2s of the file with the SHA-256 \`hash\`. \`ioc\`: the one with that \`id\`. \`taginfo\`: those with a \`tag\`; \`malwareinfo\`: those of a \`malware\`; both up to \`limit\` (100; at most 1,000). \`malware_list\`, \`tag_list\`, \`types\`, \`get_label\`: what indicators are called. \`submit_ioc\` (researchers): a report for each of \`iocs\`, of the file with the SHA-256 \`hash\`, in the feed \`service\` or that of the service that answers for the host. At most those of ${MAX_REPORTS} reports, newest first. Rejected and expired reports are left out, and so are C2s with a protected host or rejected by the desk of their feed. A query that is not valid is answered with status 200 and a \`query_status\` that says so. Spends no quota.`,
      operationId: 'queryIocs',
      tags: ['Feeds'],
      body: queryBody,
      response: {
        200: threatfoxReply,
        ...threatfoxRefusals(400, 401, 403, 404, 413, 415, 429, 500, 503),
      },
    },
    // The handler parses the text of the body, even of an empty one.
    validatorCompiler: skipValidation,
    async handler(request, reply) {
      const query = parseThreatfoxQuery(textOf(request));
      if (isRefusal(query)) return query;
      if (query.kind === 'submit') return await submit(deps, request, reply, query);
      if (query.kind !== 'ioc') releaseWith(reply.raw, slots.take(request.caller.accountId));
      return await answer(deps, reply, query);
    },
  });
}

const queryBody = z
  .object({
    query: z
      .enum([
        'get_iocs',
        'search_ioc',
        'search_hash',
        'ioc',
        'taginfo',
        'malwareinfo',
        'malware_list',
        'tag_list',
        'types',
        'get_label',
        'submit_ioc',
      ])
      .optional(),
    days: z.int().optional(),
    search_term: z.string().optional(),
    exact_match: z.boolean().optional(),
    hash: z.string().optional(),
    id: z.string().optional(),
    tag: z.string().optional(),
    malware: z.string().optional(),
    limit: z.int().optional(),
  })
  .loose()
  .meta({ examples: [{ query: 'get_iocs', days: 1 }] });

function textOf({ body }: FastifyRequest): string {
  return String(asObject(body)['text'] ?? '');
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The code of the error, in the words of ThreatFox where it has any. */
function statusOf(reply: FastifyReply): { readonly query_status: string } {
  const code = String(reply.getHeader('x-error-code') ?? 'internal');
  return { query_status: reply.statusCode === 401 ? 'unknown_auth_key' : code };
}

async function submit(
  deps: HttpDependencies,
  { caller }: FastifyRequest,
  reply: FastifyReply,
  submission: Submission,
) {
  requireRole(caller, 'researcher');
  takeUnits(deps, reply, { policy: 'create', units: submission.iocs.length });
  const { created, ignored } = await submitIocs(deps, caller, submission);
  return { query_status: 'ok', data: { ok: created, ignored, duplicated: [] } };
}

type ReadQuery = Exclude<ThreatfoxQuery, Submission>;

const LABEL_QUERIES: readonly string[] = ['types', 'tag-list', 'malware-list', 'label'];

function isLabelQuery(query: ReadQuery): query is LabelQuery {
  return LABEL_QUERIES.includes(query.kind);
}

async function answer(deps: HttpDependencies, reply: FastifyReply, query: ReadQuery) {
  const context = { findService: serviceFinder(deps), hosts: deps.indicatorHosts() };
  if (query.kind === 'ioc') return await answerOne(deps, query.id, context);
  takeForParts(reply, PART_BYTES);
  if (isLabelQuery(query)) return { query_status: 'ok', data: await labelsOf(deps, query) };
  const found = await reportsOf(deps, query);
  const limit = 'limit' in query ? query.limit : Number.POSITIVE_INFINITY;
  const text = await threatfoxAnswer(found, context, { matches: matcherOf(query), limit });
  if (text === undefined) return NO_RESULT;
  return await sendStream(reply, 'application/json; charset=utf-8', text);
}

type ListQuery = Exclude<ReadQuery, LabelQuery | { readonly kind: 'ioc' }>;

async function reportsOf(deps: HttpDependencies, query: ListQuery): Promise<FoundReports> {
  if (query.kind === 'recent') return recentReports(deps, query.days);
  if (query.kind === 'hash') return findReports(deps, { sha256: query.sha256 });
  if (query.kind === 'tag') return findReports(deps, { tags: [query.tag] });
  if (query.kind === 'malware') {
    const names = await namesOf(deps, query.malware);
    return inSequence(names.map((name) => findReports(deps, { name })));
  }
  return searchReports(deps, query.term);
}

function matcherOf(query: ListQuery): (ioc: Ioc) => boolean {
  if (query.kind === 'hash') return ({ threat_type }) => threat_type === 'botnet_cc';
  return query.kind === 'search' ? termMatcher(query.term) : () => true;
}

function termMatcher(term: SearchTerm): (ioc: Ioc) => boolean {
  if (term.kind === 'file') return ({ ioc }) => ioc === term.sha256;
  if (term.kind === 'part') return ({ ioc }) => ioc.includes(term.text);
  // The reports have the address; of a name with a port, the indicator is the name.
  const isWhole = ({ ioc, ioc_type }: Ioc) => ioc === term.text || ioc_type === 'domain';
  return term.isExact ? isWhole : ({ threat_type }) => threat_type === 'botnet_cc';
}

async function answerOne(
  deps: HttpDependencies,
  { reportNumber, part }: Extract<ThreatfoxQuery, { readonly kind: 'ioc' }>['id'],
  context: IocContext,
) {
  const report = await findReportByNumber(deps, reportNumber);
  const iocs = report === undefined ? [] : await iocsOfReport(report, context);
  const isPart = ({ threat_type }: Ioc) => (threat_type === 'payload') === (part === 'file');
  const data = iocs.find(isPart);
  return data === undefined ? NO_RESULT : { query_status: 'ok', data };
}

/** Reports of an answer are of few services. */
function serviceFinder(deps: HttpDependencies): FindService {
  const known = new Map<string, Awaited<ReturnType<FindService>>>();
  return async (slug) => {
    if (!known.has(slug)) known.set(slug, await findService(deps, slug));
    return known.get(slug);
  };
}
