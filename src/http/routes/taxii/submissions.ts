import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../domain/problem.ts';
import { reportOf } from '../../../exports/stix/ids.ts';
import { createReports, type LineResult } from '../../../operations/reports/create-reports.ts';
import { deleteObject } from '../../../operations/taxii/delete-object.ts';
import { type CollectionIds, findCollection } from '../../../operations/taxii/find-collection.ts';
import { objectNamespace } from '../../../operations/taxii/object-namespace.ts';
import { checkSubmissions, storeSubmission } from '../../../operations/taxii/submissions.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import type { App } from '../../fastify-types.ts';
import { AccountSlots, releaseWith } from '../../gate/account-slots.ts';
import { checkBatchRate, takeUnits } from '../../gate/rate-limit.ts';
import { holdForBody } from '../../gate/request-memory.ts';
import { QUOTA_HEADERS } from '../../openapi/headers.ts';
import { acceptJsonOnly } from '../../requests/json-body.ts';
import { encodingRefusal, unsupportedMediaType } from '../../requests/media-type.ts';
import {
  boundRefusal,
  MAX_SUBMITTED,
  MAX_VALUES,
  readEnvelope,
  unitsOf,
} from '../../taxii/envelope.ts';
import {
  isSubmittedType,
  MAX_CONTENT_LENGTH,
  SUBMITTED_TYPES,
  TAXII_TYPE,
} from '../../taxii/media-type.ts';
import { deletionQuery } from '../../taxii/query.ts';
import { negotiate, sendBytes } from '../../taxii/respond.ts';
import {
  collectionParams,
  deleted,
  objectParams,
  status,
  taxiiRefusals,
} from '../../taxii/schemas.ts';
import { sortEnvelope } from '../../taxii/sort-envelope.ts';
import { presentStatus, toGroups, verdictsOf } from '../../taxii/submission.ts';

const tags = ['TAXII'];
const produces = [TAXII_TYPE];

/** Must be registered in its own scope, because only these routes accept the types of TAXII. */
export function taxiiSubmissionRoutes(app: App, deps: HttpDependencies, ids: CollectionIds): void {
  acceptJsonOnly(app, {
    types: SUBMITTED_TYPES,
    refusalOf: typeRefusal,
    boundRefusal,
  });
  const slots = new AccountSlots(deps.accountLimits.uploads, 'too_many_uploads');

  app.route({
    method: 'POST',
    url: '/taxii2/feeds/collections/:collection/objects/',
    config: { access: 'researcher', bodyType: TAXII_TYPE, maxValues: MAX_VALUES },
    onRequest: [negotiate, ...checkBatchRate(deps, 'create')],
    bodyLimit: MAX_CONTENT_LENGTH,
    schema: {
      summary: 'Add indicators to a collection',
      description: `At most ${MAX_SUBMITTED} objects. Each object counts for the rate limit of creates, refused or not; an envelope of more objects than are left is refused with 429. Each report is an indicator of a C2 and one of a file that have the same \`external_id\` or a relationship, or one indicator of both: \`[network-traffic:dst_ref.value = '…' AND network-traffic:dst_port = 4444] AND [file:hashes.'SHA-256' = '…']\`. Other objects of the envelope describe them; one that no report refers to is a failure, and an envelope without an indicator is refused with 422. \`labels\` are the tags, \`confidence\` is converted to the scale of the service, and the first \`external_references\` with a URL and without an \`external_id\` is the reference. Sending the same versions again within 24 hours adds no second report. The collection has the indicators under ids of its own, which the status names in \`x_rapsheet_ids\`.`,
      operationId: 'taxiiAddObjects',
      tags,
      produces,
      consumes: [TAXII_TYPE],
      params: collectionParams,
      response: { 202: status, ...taxiiRefusals(400, 404, 413, 415, 422) },
      responseHeaders: { 202: QUOTA_HEADERS, 429: QUOTA_HEADERS },
    },
    preParsing: (request, reply, payload, done) => {
      const length = Number(request.headers['content-length'] ?? MAX_CONTENT_LENGTH);
      const isHeld = length <= MAX_CONTENT_LENGTH;
      const refusal =
        slots.refusal(request.caller.accountId) ??
        (isHeld ? holdForBody(reply, 'bodies', length) : undefined);
      done(refusal ?? null, payload);
    },
    async handler({ caller, params, body }, reply) {
      releaseWith(reply.raw, slots.take(caller.accountId));
      takeUnits(deps, reply, { policy: 'create', units: unitsOf(body) });
      const { service } = await findCollection(deps, ids, params.collection);
      if (service === undefined) throw new Problem('collection_read_only');
      await checkSubmissions(deps, caller);
      const at = deps.now();
      const { reports, verdicts } = await sortEnvelope(await readEnvelope(body));
      const groups = toGroups(reports, service, () => reply.raw.destroyed);
      const results: LineResult[] = [];
      const batch = { caller, service, groups, retryKey: undefined, call: 'objects' } as const;
      for await (const part of createReports(deps, batch)) results.push(...part);
      const namespace = await objectNamespace(deps);
      const all = [...verdictsOf(reports, results, namespace), ...verdicts];
      const text = await storeSubmission(deps, caller, (id) => presentStatus(id, at, all));
      return sendBytes(reply.code(202), text);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/taxii2/feeds/collections/:collection/objects/:object/',
    config: { access: 'token' },
    onRequest: negotiate,
    schema: {
      summary: 'Delete the report of an indicator',
      description:
        'For its creator and for owners of the feed. Both indicators of the report are then revoked; the filters of versions are ignored, because only the newest is stored.',
      operationId: 'taxiiDeleteObject',
      tags,
      produces,
      params: objectParams,
      querystring: deletionQuery,
      response: { 200: deleted, ...taxiiRefusals(400, 404) },
    },
    async handler({ caller, params }, reply) {
      const collection = await findCollection(deps, ids, params.collection);
      const isIndicator = params.object.startsWith('indicator--');
      const found = reportOf(params.object, await objectNamespace(deps));
      await deleteObject(deps, caller, collection, isIndicator ? found?.reportId : undefined);
      return sendBytes(reply, '');
    },
  });
}

function typeRefusal(request: FastifyRequest): Problem | undefined {
  return isSubmittedType(request.headers['content-type'])
    ? encodingRefusal(request)
    : unsupportedMediaType(request.routeOptions.config.bodyType);
}
