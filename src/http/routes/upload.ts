import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { parseFileHash } from '../../domain/samples/file-hash.ts';
import { awaitAnalysis } from '../../operations/samples/await-analysis.ts';
import { type SubmittedSample, submitSample } from '../../operations/samples/submit-sample.ts';
import type { SampleStatus } from '../../ports/sample-store.ts';
import { discardUnreadBody } from '../connections/unread-body.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { AccountSlots } from '../gate/account-slots.ts';
import { whilePermitted } from '../gate/permission-watch.ts';
import { limitRate } from '../gate/rate-limit.ts';
import { holdForBody } from '../gate/request-memory.ts';
import { QUOTA_HEADERS } from '../openapi/headers.ts';
import { encodingRefusal } from '../requests/media-type.ts';
import { preferHeaders } from '../requests/parameters.ts';
import { readWait } from '../requests/prefer.ts';
import { FORM_OVERHEAD_BYTES, readUpload } from '../requests/upload-body.ts';
import { presentSubmitted } from '../responses/present.ts';
import { sampleSubmitted } from '../responses/sample-schemas.ts';
import { refusals } from '../responses/schemas.ts';

const MULTIPART = 'multipart/form-data';
/** Memory for the parser, the digests and pending writes. */
const HELD_BYTES = 512 * 1024;

/** Must be registered in its own scope, because only this route accepts a form. */
export function uploadRoutes(app: App, deps: HttpDependencies): void {
  const { uploadLimitBytes } = deps;
  const slots = new AccountSlots(deps.accountLimits.uploads, 'too_many_uploads');
  app.removeAllContentTypeParsers();
  // Streamed, because a sample may be larger than the memory of one account.
  app.addContentTypeParser(MULTIPART, (request, payload, done) =>
    done(encodingRefusal(request) ?? null, payload),
  );

  app.route({
    method: 'POST',
    url: '/private/upload',
    config: { access: 'researcher', bodyType: MULTIPART, endsWithPermission: 'body' },
    onRequest: limitRate(deps, 'upload'),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    schema: {
      summary: 'Upload a file to be analysed',
      description:
        'At most 100 MiB, unless the operator sets another limit. Spends no quota. The same bytes are stored and analysed only once, under the name of the first upload. Every account can read this name and search for it: send another one if it names a person or a case.',
      operationId: 'upload',
      tags: ['Samples'],
      consumes: [MULTIPART],
      headers: preferHeaders,
      response: { 200: sampleSubmitted, ...refusals(400, 401, 403, 413, 415, 429) },
      responseHeaders: { 200: ['Preference-Applied', ...QUOTA_HEADERS], 429: QUOTA_HEADERS },
    },
    preParsing: (request, reply, payload, done) => {
      const isTooLarge =
        Number(request.headers['content-length']) > uploadLimitBytes + FORM_OVERHEAD_BYTES;
      const refusal = isTooLarge
        ? new Problem('body_too_large', { parameters: { limit: uploadLimitBytes } })
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
      const status = await awaitSettled(deps, submitted, seconds, reply);
      return presentSubmitted({ ...submitted, status });
    },
    onResponse: (request, _, done) => {
      discardUnreadBody(request.raw);
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
  // If no temporary file could be created, nothing reads the upload, and the connection would hang.
  return await submitSample(deps, caller, upload).finally(upload.discard);
}

/** Waits for the analysis until the time is up or the client disconnects. */
async function awaitSettled(
  deps: HttpDependencies,
  { digests, status }: SubmittedSample,
  seconds: number,
  reply: FastifyReply,
): Promise<SampleStatus> {
  const hash = parseFileHash(digests.sha256);
  if (hash === undefined) return status;
  const disconnected = new AbortController();
  const abort = () => disconnected.abort();
  reply.raw.once('close', abort);
  try {
    return await awaitAnalysis(deps, hash, {
      timeoutMs: seconds * 1000,
      signal: disconnected.signal,
    });
  } finally {
    reply.raw.removeListener('close', abort);
  }
}
