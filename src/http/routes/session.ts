import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid } from '../../domain/problem.ts';
import { createLink } from '../../operations/accounts/create-link.ts';
import { describeCaller } from '../../operations/accounts/describe-caller.ts';
import { endSessions, signOut } from '../../operations/accounts/end-sessions.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import { type SignedIn, signIn, signInWithLink } from '../../operations/accounts/sign-in.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { authenticate, readSession, readToken, refuseBadToken } from '../gate/authenticate.ts';
import { signInRefusal } from '../gate/browser-requests.ts';
import { endSessionsQuery, linkBody, signInBody } from '../requests/admin-fields.ts';
import { accountParams } from '../requests/parameters.ts';
import { presentLink, presentMe } from '../responses/present-session.ts';
import { done, refusals } from '../responses/schemas.ts';
import { linkCreated, me, sessionsEnded } from '../responses/session-schemas.ts';
import { removedCookie, sessionCookie } from '../session-cookie.ts';

const tags = ['Account'];

const ENDING =
  'Sign-in links that were not used become invalid too. Tokens stay valid, unless `issued` revokes those that were issued in a session, in one that has ended too.';

/** Sessions of browsers, and the links that start them. */
export function sessionRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: '/session',
    config: { access: 'public' },
    schema: {
      summary: 'Sign in from a browser',
      description:
        'With a token in `Authorization`, or with the secret of a sign-in link, which is then used up. Sets the cookie of the session, which ends after 30 days, or earlier with the token or the account. A browser must send `X-Rapsheet-Request: 1` from a page of this server.',
      operationId: 'signIn',
      tags,
      body: signInBody,
      response: { 200: me, ...refusals(400, 401, 403, 413, 415, 429) },
      responseHeaders: { 200: ['Set-Cookie'] },
    },
    onRequest: (request) => admitSignIn(deps, request),
    async handler(request, reply) {
      const started = await startSession(deps, request, request.body?.link);
      const { session } = started.caller;
      const now = deps.now();
      const expiresAt = session?.expiresAt ?? now;
      reply.header('set-cookie', sessionCookie(deps.baseUrl(), started.secret, { expiresAt, now }));
      return presentMe(await describeCaller(deps, started.caller));
    },
  });

  for (const [url, operationId] of [
    ['/session', 'session'],
    ['/api/me', 'me'],
  ] as const)
    app.route({
      method: 'GET',
      url,
      config: { access: 'token' },
      schema: {
        summary: operationId === 'me' ? 'Show your account' : 'Show who is signed in',
        description: 'Spends no quota.',
        operationId,
        tags,
        response: { 200: me, ...refusals(401, 403, 429) },
      },
      handler: async ({ caller }) => presentMe(await describeCaller(deps, caller)),
    });

  app.route({
    method: 'DELETE',
    url: '/session',
    config: { access: 'public' },
    schema: {
      summary: 'Sign out',
      description: 'Ends the session of the cookie and removes the cookie. It may be repeated.',
      operationId: 'signOut',
      tags,
      response: { 200: done, ...refusals(403, 429) },
      responseHeaders: { 200: ['Set-Cookie'] },
    },
    onRequest: async (request) => refuseForeign(deps, request),
    async handler(request, reply) {
      const secret = readSession(deps, request);
      if (secret !== undefined) await signOut(deps, secret);
      removeCookie(reply);
      return { message: 'You are signed out.', successful: true as const };
    },
  });

  app.route({
    method: 'DELETE',
    url: '/api/sessions',
    config: { access: 'token' },
    schema: {
      summary: 'End all your sessions',
      description: `${ENDING} Only tokens of your account are revoked.`,
      operationId: 'endSessions',
      tags,
      querystring: endSessionsQuery,
      response: { 200: sessionsEnded, ...refusals(400, 401, 403, 429) },
    },
    async handler({ caller: { accountId, name, session }, query: { issued } }, reply) {
      const audit = { actor: name, at: deps.now() };
      const ended = await endSessions(deps, audit, accountId, { issued, ofAccount: accountId });
      if (session !== undefined) removeCookie(reply);
      return { ...ended, successful: true as const };
    },
  });

  function removeCookie(reply: FastifyReply): void {
    reply.header('set-cookie', removedCookie(deps.baseUrl()));
  }
}

const adminTags = ['Administration'];

export function adminSessionRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'DELETE',
    url: '/admin/accounts/:id/sessions',
    config: { access: 'admin' },
    schema: {
      summary: 'End all sessions of an account',
      description: `${ENDING} Tokens of other accounts, which an administrator issued, are revoked too.`,
      operationId: 'endAccountSessions',
      tags: adminTags,
      params: accountParams,
      querystring: endSessionsQuery,
      response: { 200: sessionsEnded, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, params, query: { issued } }) {
      const audit = { actor: caller.name, at: deps.now() };
      const { id } = await findAccount(deps, params.id);
      return { ...(await endSessions(deps, audit, id, { issued })), successful: true as const };
    },
  });

  app.route({
    method: 'POST',
    url: '/admin/accounts/:id/links',
    config: { access: 'admin' },
    schema: {
      summary: 'Create a sign-in link for an account',
      description:
        'It signs one browser in, once, within 15 minutes; an invitation within 7 days. The response has the only copy of the link.',
      operationId: 'createAccountLink',
      tags: adminTags,
      params: accountParams,
      body: linkBody,
      response: { 201: linkCreated, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, params, body }, reply) {
      const audit = { actor: caller.name, at: deps.now() };
      const { id } = await findAccount(deps, params.id);
      const link = await createLink(deps, audit, id, { ...body, by: caller });
      return reply.code(201).send(presentLink(link));
    },
  });
}

/** Checks the token of a sign-in before its body is read. */
async function admitSignIn(deps: HttpDependencies, request: FastifyRequest): Promise<void> {
  refuseForeign(deps, request);
  if (readToken(request.headers) !== undefined) request.caller = await authenticate(deps, request);
}

function refuseForeign(deps: HttpDependencies, request: FastifyRequest): void {
  const refusal = signInRefusal(deps, request, {
    hasSession: readSession(deps, request) !== undefined,
  });
  if (refusal !== undefined) throw refusal;
}

async function startSession(
  deps: HttpDependencies,
  request: FastifyRequest,
  link: string | undefined,
): Promise<SignedIn> {
  const hasToken = readToken(request.headers) !== undefined;
  if (hasToken === (link !== undefined))
    throw invalid('invalid_body', [
      'Send either a token in the header Authorization, or the secret of a sign-in link as "link".',
    ]);
  const options = { replaces: readSession(deps, request) };
  if (link === undefined) return signIn(deps, request.caller, options);
  const started = await signInWithLink(deps, link, options);
  return started ?? refuseBadToken(deps, request, 'link_invalid');
}
