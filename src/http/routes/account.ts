import { findAccount } from '../../operations/accounts/find-account.ts';
import { issueToken } from '../../operations/accounts/issue-token.ts';
import { listTokens } from '../../operations/accounts/list-tokens.ts';
import { revokeToken } from '../../operations/accounts/revoke-token.ts';
import { showUsage } from '../../operations/accounts/show-usage.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { revokeQuery, tokenBody } from '../requests/admin-fields.ts';
import { cursorQuery, DEFAULT_PAGE_SIZE } from '../requests/feed-query.ts';
import { uuidParams } from '../requests/parameters.ts';
import { toUsageQuery, USAGE_RULE, usageQuery } from '../requests/usage-query.ts';
import {
  balance,
  token,
  tokenIssued,
  tokenList,
  usageShown,
} from '../responses/account-schemas.ts';
import { presentBalance, presentToken, presentTokens, presentUsage } from '../responses/present.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Account'];

/** What callers do with their own account. */
export function accountRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'GET',
    url: '/api/balance',
    config: { access: 'token' },
    schema: {
      summary: 'Show the remaining lookup quota',
      description: 'Spends no quota.',
      operationId: 'balance',
      tags,
      response: { 200: balance, ...refusals(401, 429) },
    },
    handler: async ({ caller }) => presentBalance(await findAccount(deps, caller.accountId)),
  });

  app.route({
    method: 'GET',
    url: '/api/usage',
    config: { access: 'token' },
    schema: {
      summary: 'Show the units charged per day',
      description: `Also what they were charged for, and with which token. ${USAGE_RULE} Spends no quota.`,
      operationId: 'usage',
      tags,
      querystring: usageQuery,
      response: { 200: usageShown, ...refusals(400, 401, 429) },
    },
    handler: async ({ caller, query }) =>
      presentUsage(await showUsage(deps, caller.accountId, toUsageQuery(query))),
  });

  app.route({
    method: 'GET',
    url: '/api/tokens',
    config: { access: 'token' },
    schema: {
      summary: 'List your tokens',
      description: 'In the order in which they were issued.',
      operationId: 'listTokens',
      tags,
      querystring: cursorQuery,
      response: { 200: tokenList, ...refusals(400, 401, 429) },
    },
    async handler({ caller, query: { cursor, limit = DEFAULT_PAGE_SIZE } }) {
      return presentTokens(await listTokens(deps, caller.accountId, { cursor, limit }));
    },
  });

  app.route({
    method: 'POST',
    url: '/api/tokens',
    config: { access: 'token' },
    schema: {
      summary: 'Issue a token for yourself',
      description:
        'By default it expires with the token of this request; a later `expiresAt` is refused.',
      operationId: 'issueToken',
      tags,
      body: tokenBody,
      response: { 201: tokenIssued, ...refusals(400, 401, 409, 413, 415, 429) },
    },
    async handler({ caller, body }, reply) {
      const audit = { actor: caller.name, at: deps.now() };
      const { text, token } = await issueToken(deps, audit, caller.accountId, {
        ...body,
        issuer: caller,
      });
      return reply.code(201).send({ token: text, ...presentToken(token) });
    },
  });

  app.route({
    method: 'DELETE',
    url: '/api/tokens/:id',
    config: { access: 'token' },
    schema: {
      summary: 'Revoke one of your tokens',
      operationId: 'revokeToken',
      tags,
      params: uuidParams,
      querystring: revokeQuery,
      response: { 200: token, ...refusals(400, 401, 404, 429) },
    },
    async handler({ caller, params, query: { issued } }) {
      const audit = { actor: caller.name, at: deps.now() };
      const options = { ofAccount: caller.accountId, issued };
      return presentToken(await revokeToken(deps, audit, params.id, options));
    },
  });
}
