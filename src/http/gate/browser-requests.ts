import type { FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';
import type { HttpDependencies } from '../dependencies.ts';

/** A page of another origin cannot set it without a preflight, which this server refuses. */
const REQUEST_HEADER = 'x-rapsheet-request';

/**
 * Why a request with the session cookie is refused; `undefined` if it is not. The cookie is never
 * accepted from a page of another origin. A request that changes something or takes a unit of the
 * quota must carry the header too, because older browsers do not state where a request comes from.
 */
export function browserRefusal(
  deps: Pick<HttpDependencies, 'baseUrl'>,
  request: FastifyRequest,
): Problem | undefined {
  return refusalOf(deps, request, isProtected(request));
}

/**
 * The same for signing in and out, where the cookie is not the credential: a page of another origin
 * must not sign a browser in as somebody else. Other programs than browsers need no header.
 */
export function signInRefusal(
  deps: Pick<HttpDependencies, 'baseUrl'>,
  request: FastifyRequest,
  { hasSession }: { readonly hasSession: boolean },
): Problem | undefined {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isBrowser = origin !== undefined || site !== undefined || hasSession;
  return isBrowser ? refusalOf(deps, request, true) : undefined;
}

function isProtected({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' || routeOptions.config.charges === true;
}

function refusalOf(
  deps: Pick<HttpDependencies, 'baseUrl'>,
  request: FastifyRequest,
  needsHeader: boolean,
): Problem | undefined {
  const { origin, [REQUEST_HEADER]: marker, 'sec-fetch-site': site } = request.headers;
  // `none` is the address bar, which cannot send the header.
  const ownSites = needsHeader ? ['same-origin'] : ['same-origin', 'none'];
  if (site !== undefined && !ownSites.includes(String(site)))
    return refusal('must come from a page of this server: its Sec-Fetch-Site is not "same-origin"');
  if (origin !== undefined && !isOwnOrigin(deps, request, origin))
    return refusal(
      'must come from a page of this server: its Origin is neither that of RAPSHEET_BASE_URL nor that of the Host of the request',
    );
  if (needsHeader && marker !== '1')
    return refusal(
      'must carry the header "X-Rapsheet-Request: 1" if it changes something or takes a unit of the quota',
    );
  return undefined;
}

/**
 * Behind a proxy the public origin is that of the base URL, or what a trusted proxy states in
 * `X-Forwarded-Proto` and `X-Forwarded-Host`. Without a base URL, a server may be reached by
 * several names and addresses. A page with another name for this host has no cookie of it.
 */
function isOwnOrigin(
  { baseUrl }: Pick<HttpDependencies, 'baseUrl'>,
  { protocol, host }: FastifyRequest,
  origin: string,
): boolean {
  return [originOf(baseUrl()), originOf(`${protocol}://${host}`)].includes(origin);
}

/** Without the default port, as browsers send it. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function refusal(requirement: string): Problem {
  return new Problem('cross_origin', { parameters: { requirement } });
}
