import type { FastifyRequest } from 'fastify';
import type { Problem, ProblemCode } from '../domain/problem.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { App } from './fastify-types.ts';

/**
 * Measures the duration of every request by its route, never by its URL, which may contain a hash
 * or an id. It is recorded when the payload is passed to Node, however long the client reads it.
 */
export function observeRequests(app: App, { requests }: Pick<Metrics, 'requests'>, log: Log): void {
  app.decorateRequest('startedAt', 0);
  app.decorate('recordRequest', (request: FastifyRequest, route: string, status: number): void => {
    const { id: requestId, method, startedAt } = request;
    const ms = performance.now() - startedAt;
    requests.observe({ method, route, status }, ms / 1000);
    if (log.isLevelEnabled('debug'))
      log.debug({ requestId, method, url: withoutTokens(request.url), status, ms }, 'answered');
  });
  app.addHook('onRequest', (request, _, done) => {
    request.startedAt = performance.now();
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined) app.recordRequest(request, url, reply.statusCode);
    done(null, payload);
  });
}

/**
 * A refusal with a quota has spent a unit, as a served lookup does, unless the quota was exhausted.
 */
export function countUnits({ units }: Pick<Metrics, 'units'>, { kind, details }: Problem): void {
  if (details.quota === undefined) return;
  if (kind === 'quota-exhausted') units.refused.inc(Number(details.parameters?.['needed'] ?? 1));
  else units.served.inc();
}

/** The account limit that a refusal belongs to. */
const LIMITS: Readonly<Partial<Record<ProblemCode, keyof Metrics['limitRefusals']>>> = {
  too_many_uploads: 'uploads',
  too_many_streams: 'streams',
  too_many_websockets: 'websockets',
  too_many_exports: 'exports',
  too_many_tokens: 'tokens',
  stored_bytes_exceeded: 'stored_bytes',
  status_bytes_exceeded: 'status_bytes',
};

export function countLimits(
  { limitRefusals }: Pick<Metrics, 'limitRefusals'>,
  { code, details }: Problem,
): void {
  const isUpload = details.parameters?.['policy'] === 'upload';
  const rate = isUpload ? 'upload_rate' : 'create_rate';
  const limit = code === 'rate_limited' ? rate : LIMITS[code];
  if (limit !== undefined) limitRefusals[limit].inc();
}

/**
 * Removes tokens from a URL before it is logged. Some clients put a token into the URL. Values that
 * look like a token are hidden, and so are those of parameters whose names suggest a secret.
 */
export function withoutTokens(url: string): string {
  const [path = '', ...parameters] = url.split('&');
  const query = path.indexOf('?') + 1;
  const first = query === 0 ? path : path.slice(0, query) + withoutSecret(path.slice(query));
  return [first, ...parameters.map(withoutSecret)]
    .join('&')
    .replace(/ra[psl]_[\w-]+/gi, '[hidden]');
}

const SECRET_NAME = /key|token|ticket|auth|secret|passw/i;

/**
 * In `q=1?token=2` the name is ambiguous, so everything before the last equals sign counts as the
 * name.
 */
function withoutSecret(parameter: string): string {
  const names = parameter.slice(0, Math.max(parameter.lastIndexOf('='), 0));
  return SECRET_NAME.test(names)
    ? `${parameter.slice(0, parameter.indexOf('='))}=[hidden]`
    : parameter;
}
