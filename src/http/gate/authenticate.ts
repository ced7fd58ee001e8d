import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { TOKEN_LENGTH } from '../../domain/accounts/token.ts';
import { Problem } from '../../domain/problem.ts';
import { cachedCaller, identifyCaller } from '../../operations/accounts/identify-caller.ts';
import type { HttpDependencies } from '../dependencies.ts';

const SCHEME = /^(bearer|token|basic)[ \t]+(\S+)$/i;

/** The caller of a request if its token is cached and live. Otherwise call `authenticate`. */
export function cachedRequestCaller(
  deps: HttpDependencies,
  request: FastifyRequest,
): Caller | undefined {
  const token = readToken(request.headers);
  if (token?.length !== TOKEN_LENGTH) return undefined;
  const caller = cachedCaller(deps, deps.tokenDigests.of(request.raw.socket, token));
  if (caller !== undefined) deps.tokenUsage.record(caller.tokenId, deps.now());
  return caller;
}

export async function authenticate(
  deps: HttpDependencies,
  request: FastifyRequest,
): Promise<Caller> {
  const token = readToken(request.headers);
  if (token === undefined) throw new Problem('token_missing');
  const caller = await identifyCaller(deps, token);
  if (caller !== undefined) {
    deps.tokenUsage.record(caller.tokenId, deps.now());
    return caller;
  }
  return refuseBadToken(deps, request, 'token_invalid');
}

/**
 * Counts only tokens that are invalid, so the throttle never delays a valid caller on the same
 * address.
 */
export function refuseBadToken(
  deps: HttpDependencies,
  request: FastifyRequest,
  code: 'token_invalid' | 'ticket_invalid',
): never {
  deps.metrics.badTokens.inc();
  const retryAfterSeconds = deps.badTokens.count(request.ip, deps.now());
  if (retryAfterSeconds !== undefined)
    throw new Problem('too_many_bad_tokens', { retryAfterSeconds });
  throw new Problem(code);
}

/**
 * Accepts the bare token of the specification, the customary schemes, and two headers for feed
 * readers that can set no other. An unreadable value is returned unchanged and refused as a bad
 * token.
 */
export function readToken(headers: IncomingHttpHeaders): string | undefined {
  const authorization = headers.authorization;
  if (authorization === undefined || authorization === '') {
    const other = headers['x-api-key'] ?? headers['auth-key'];
    return Array.isArray(other) ? other[0] : other;
  }
  const [, scheme, credentials] = SCHEME.exec(authorization) ?? [];
  if (scheme === undefined || credentials === undefined) return authorization;
  if (scheme.toLowerCase() !== 'basic') return credentials;
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}
