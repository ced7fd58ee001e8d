import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode, type ProblemKind } from '../../domain/problem.ts';
import type { Log } from '../../observability/log.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { isPollerUrl, isTaxiiUrl } from '../poller-urls.ts';
import { countLimits, countUnits } from '../request-metrics.ts';
import { unsupportedMediaType } from '../requests/media-type.ts';
import { removedCookie } from '../session-cookie.ts';
import { taxiiError } from '../taxii/error.ts';
import { TAXII_TYPE } from '../taxii/media-type.ts';
import { quotaHeaders } from './present.ts';

/** The only mapping from refusals to statuses. */
export const STATUS: Readonly<Record<ProblemKind, number>> = {
  moved: 308,
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  gone: 410,
  'too-large': 413,
  range: 416,
  'unsupported-media': 415,
  'idempotency-mismatch': 422,
  unprocessable: 422,
  'quota-exhausted': 429,
  throttled: 429,
  overloaded: 503,
  defect: 500,
  unavailable: 503,
};

/** Those of a file of which no byte was sent. `Content-Range` may be that of the error. */
const FILE_HEADERS = [
  'accept-ranges',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-type',
  'etag',
  'last-modified',
];

const REALM = 'Bearer realm="rapsheet"';
const BASIC = 'Basic realm="rapsheet", charset="UTF-8"';

/**
 * Sends a `Problem` in the form of the specification. Any other error is a defect: it is logged
 * with its cause and answered with 500.
 */
export function errorReplies(
  deps: Pick<HttpDependencies, 'now' | 'metrics' | 'baseUrl'>,
  log: Log,
) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error, request, reply);
    const { retryAfterSeconds, quota, endsSession } = problem.details;
    if (problem.kind === 'defect')
      log.error({ err: error, requestId: request.id }, 'a request failed');
    if (problem.kind === 'unavailable')
      log.error({ err: problem.cause, requestId: request.id }, 'the store is unavailable');

    removeFileHeaders(reply);
    reply.code(STATUS[problem.kind]).header('x-error-code', problem.code);
    const challenge = challengeOf(problem);
    if (challenge !== undefined)
      reply.header('www-authenticate', withBasic(problem, request.url, challenge));
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    if (endsSession === true) reply.header('set-cookie', removedCookie(deps.baseUrl()));
    if (quota !== undefined) reply.headers(quotaHeaders(quota, deps.now()));
    countUnits(deps.metrics, problem);
    countLimits(deps.metrics, problem);
    if (isTaxiiUrl(request.url))
      return reply.type(TAXII_TYPE).send(taxiiError(problem, STATUS[problem.kind], request.id));
    return reply.send({ error: problem.message, successful: false });
  };
}

function removeFileHeaders(reply: FastifyReply): void {
  for (const name of FILE_HEADERS) reply.removeHeader(name);
}

const WITHOUT_TOKEN: readonly ProblemCode[] = ['token_missing', 'session_expired', 'link_invalid'];

/** RFC 6750, section 3: no error code for a request without a token. */
function challengeOf({ code, details }: Problem): string | undefined {
  if (WITHOUT_TOKEN.includes(code)) return REALM;
  if (code === 'token_invalid' || code === 'ticket_invalid')
    return `${REALM}, error="invalid_token"`;
  if (code === 'role_missing')
    return `${REALM}, error="insufficient_scope", scope="${details.role}"`;
  return undefined;
}

/**
 * Some pollers send a password only after this challenge, and read only the first one. On other
 * paths it would make a browser ask its user for a password.
 */
function withBasic({ kind }: Problem, url: string, challenge: string): string | string[] {
  const isBasic = kind === 'unauthenticated' && isPollerUrl(url);
  return isBasic ? [BASIC, challenge] : challenge;
}

/** Maps fastify's errors to problems. */
function toProblem(error: unknown, request: FastifyRequest, { raw }: FastifyReply): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Problem('body_too_large', {
      parameters: { limit: request.routeOptions.bodyLimit ?? 0 },
    });
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return unsupportedMediaType(request.routeOptions.config.bodyType);
  }
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    return new Problem('malformed_json');
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Problem('malformed_request');
  // The client disconnected while it sent its body.
  if (request.raw.errored === error) return new Problem('malformed_request');
  // The client disconnected while its call waited, for example for an export.
  if (raw.destroyed && (error as Partial<Error>).name === 'AbortError')
    return new Problem('malformed_request');
  return new Problem('internal', { cause: error });
}
