import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type Caller, tokenOf } from '../../domain/accounts/caller.ts';
import { digestToken, isToken } from '../../domain/accounts/token.ts';
import { Problem } from '../../domain/problem.ts';
import { identifyCaller, identifySession } from '../../operations/accounts/identify-caller.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { readSessionCookie } from '../session-cookie.ts';
import { browserRefusal } from './browser-requests.ts';

const SCHEME = /^(bearer|token|basic)[ \t]+(\S+)$/i;

export async function authenticate(
  deps: HttpDependencies,
  request: FastifyRequest,
): Promise<Caller> {
  const token = readToken(request.headers);
  if (token === undefined) return authenticateSession(deps, request);
  const caller = await identifyCaller(deps, token);
  if (caller !== undefined) {
    recordUse(deps, caller);
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
  code: 'token_invalid' | 'ticket_invalid' | 'link_invalid' | 'session_expired',
): never {
  const details = code === 'session_expired' ? { endsSession: true } : {};
  deps.metrics.badTokens.inc();
  const retryAfterSeconds = deps.badTokens.count(request.ip, deps.now());
  if (retryAfterSeconds !== undefined)
    throw new Problem('too_many_bad_tokens', { ...details, retryAfterSeconds });
  throw new Problem(code, details);
}

/** The session of a request; `undefined` if it has none, or has a token, which is used instead. */
export function readSession(
  deps: Pick<HttpDependencies, 'baseUrl'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): string | undefined {
  if (headers.cookie === undefined || readToken(headers) !== undefined) return undefined;
  return readSessionCookie(headers.cookie, deps.baseUrl());
}

/** The digest of the token or the session of a request, for checks after the gate. */
export function credentialDigest(deps: HttpDependencies, request: FastifyRequest): Uint8Array {
  const secret = readToken(request.headers) ?? readSession(deps, request) ?? '';
  return digestToken(secret);
}

/** The ticket of a request; `undefined` if it has none or the route accepts none. */
export function readTicket({ query, routeOptions }: FastifyRequest): string | undefined {
  const { ticket } = query as { ticket?: unknown };
  const isAccepted = routeOptions.config.acceptsTicket === true && typeof ticket === 'string';
  return isAccepted ? ticket : undefined;
}

async function authenticateSession(
  deps: HttpDependencies,
  request: FastifyRequest,
): Promise<Caller> {
  const secret = readSession(deps, request);
  if (secret === undefined) throw new Problem('token_missing');
  const refusal = browserRefusal(deps, request);
  if (refusal !== undefined) throw refusal;
  const found = await identifySession(deps, secret);
  if (found === 'unknown') return refuseBadToken(deps, request, 'session_expired');
  // Not counted as a bad token: all tabs of a browser find out at the same time.
  if (found === 'ended') throw new Problem('session_expired', { endsSession: true });
  recordUse(deps, found);
  return found;
}

/** A session is a use of the token that started it. */
function recordUse(deps: HttpDependencies, caller: Caller): void {
  const tokenId = tokenOf(caller);
  if (tokenId !== undefined) deps.tokenUsage.record(tokenId, deps.now());
}

/**
 * Accepts the bare token of the specification, the customary schemes, and headers for feed
 * readers that can set no other. An unreadable value is returned unchanged and refused as a bad
 * token.
 */
export function readToken(headers: IncomingHttpHeaders): string | undefined {
  const authorization = headers.authorization;
  if (authorization === undefined || authorization === '') {
    const other = headers['x-api-key'] ?? headers['auth-key'] ?? headers['api-key'];
    return Array.isArray(other) ? other[0] : other;
  }
  const [, scheme, credentials] = SCHEME.exec(authorization) ?? [];
  if (scheme === undefined || credentials === undefined) return authorization;
  if (scheme.toLowerCase() !== 'basic') return credentials;
  return tokenOfPair(Buffer.from(credentials, 'base64').toString('utf8'));
}

/**
 * The token of Basic is the password. Some pollers store it as the user name and need any password
 * beside it.
 */
function tokenOfPair(pair: string): string {
  const colon = pair.indexOf(':');
  const user = pair.slice(0, Math.max(colon, 0));
  const password = pair.slice(colon + 1);
  return isToken(user) && !isToken(password) ? user : password;
}
