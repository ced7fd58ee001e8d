import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import { awaitAnalysis } from '../../operations/samples/await-analysis.ts';
import { type SubmittedSample, submitSample } from '../../operations/samples/submit-sample.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import { hangUpSoon } from '../connections/unread-body.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { holdForBody } from '../gate/held-memory.ts';
import { whilePermitted } from '../gate/permission-watch.ts';
import { limitRate } from '../gate/rate-limit.ts';
import { UploadSlots } from '../gate/upload-slots.ts';
import { QUOTA_HEADERS } from '../openapi/headers.ts';
import { preferHeaders } from '../requests/parameters.ts';
import { refuseEncoded } from '../requests/plain-body.ts';
import { readWait } from '../requests/prefer.ts';
import { FORM_OVERHEAD_BYTES, readUpload } from '../requests/upload-body.ts';
import { presentSubmitted } from '../responses/present.ts';
import { refusals, sampleSubmitted } from '../responses/schemas.ts';
import type { App } from '../typed-app.ts';

const MULTIPART = 'multipart/form-data';
/** Parser, digests and what is on its way to the disk. */
const HELD_BYTES = 512 * 1024;

/** To be called in a scope of its own: only there is a form a body. */
export function uploadRoutes(app: App, deps: HttpDependencies): void {
  const { uploadLimitBytes } = deps;
  const slots = new UploadSlots(deps.accountLimits);
  app.removeAllContentTypeParsers();
  // Read as it comes: a sample may be larger than the memory that one caller is worth.
  app.addContentTypeParser(MULTIPART, (request, payload, done) =>
    done(refuseEncoded(request) ?? null, payload),
  );

  app.route({
    method: 'POST',
    url: '/private/upload',
    config: { access: 'researcher', takes: MULTIPART, endsWithPermission: 'body' },
    onRequest: limitRate(deps, 'upload'),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    schema: {
      summary: 'Upload a file to be analysed',
      description:
        'At most 100 MiB, unless the operator set another limit. Takes nothing of the quota. The same bytes again are stored and analysed once, under the name of the first upload.',
      operationId: 'upload',
      tags: ['Samples'],
      consumes: [MULTIPART],
      headers: preferHeaders,
      response: { 200: sampleSubmitted, ...refusals(400, 401, 403, 413, 415, 429) },
      answerHeaders: { 200: ['Preference-Applied', ...QUOTA_HEADERS], 429: QUOTA_HEADERS },
    },
    preParsing: (request, reply, payload, done) => {
      const isTooLarge =
        Number(request.headers['content-length']) > uploadLimitBytes + FORM_OVERHEAD_BYTES;
      const refusal = isTooLarge
        ? new Problem('body_too_large', { words: { limit: uploadLimitBytes } })
        : (slots.refusal(request.caller.accountId) ?? holdForBody(reply, 'uploads', HELD_BYTES));
      done(refusal ?? null, payload);
    },
    async handler({ caller, body, headers, permission }, reply) {
      const release = slots.take(caller.accountId);
      const sent = body as Readable | undefined;
      const arriving = sent && permission ? whilePermitted(sent, permission.signal) : sent;
      const submitted = await receive(deps, caller, headers, arriving).finally(release);
      const seconds = readWait(headers.prefer);
      if (seconds === undefined) return presentSubmitted(submitted);
      reply.header('preference-applied', `wait=${seconds}`);
      const status = await settle(deps, submitted, seconds, reply);
      return presentSubmitted({ ...submitted, status });
    },
    onResponse: (request, _, done) => {
      hangUpSoon(request.raw);
      done();
    },
  });
}

async function receive(
  deps: HttpDependencies,
  caller: Caller,
  headers: IncomingHttpHeaders,
  body: Readable | undefined,
): Promise<SubmittedSample> {
  const upload = await readUpload(headers, body, deps.uploadLimitBytes);
  // Where not even a place for it could be made, nobody has begun to take it: the connection would be stuck.
  return await submitSample(deps, caller, upload).finally(upload.leave);
}

/** Waits for the analysis, as long as the caller does. */
async function settle(
  deps: HttpDependencies,
  { digests, status }: SubmittedSample,
  seconds: number,
  reply: FastifyReply,
): Promise<SampleStatus> {
  const hash = parseFileHash(digests.sha256);
  if (hash === undefined) return status;
  const gone = new AbortController();
  const leave = () => gone.abort();
  reply.raw.once('close', leave);
  try {
    return await awaitAnalysis(deps, hash, { timeoutMs: seconds * 1000, signal: gone.signal });
  } finally {
    reply.raw.removeListener('close', leave);
  }
}
