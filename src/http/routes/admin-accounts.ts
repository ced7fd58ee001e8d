import { addAccount } from '../../operations/accounts/add-account.ts';
import { changeAccount } from '../../operations/accounts/change-account.ts';
import { findAccount } from '../../operations/accounts/find-account.ts';
import { issueToken } from '../../operations/accounts/issue-token.ts';
import { listAccounts } from '../../operations/accounts/list-accounts.ts';
import { listTokens } from '../../operations/accounts/list-tokens.ts';
import { revokeToken } from '../../operations/accounts/revoke-token.ts';
import { showUsage } from '../../operations/accounts/show-usage.ts';
import type { HttpDependencies } from '../dependencies.ts';
import type { App } from '../fastify-types.ts';
import { accountBody, accountChanges, revokeQuery, tokenBody } from '../requests/admin-fields.ts';
import { cursorQuery, DEFAULT_PAGE_SIZE } from '../requests/feed-query.ts';
import { accountParams, uuidParams } from '../requests/parameters.ts';
import { toUsageQuery, USAGE_RULE, usageQuery } from '../requests/usage-query.ts';
import {
  accountAdded,
  accountList,
  accountResponse,
  token,
  tokenIssued,
  tokenList,
  usageShown,
} from '../responses/account-schemas.ts';
import { presentAccount, presentToken, presentTokens, presentUsage } from '../responses/present.ts';
import { refusals } from '../responses/schemas.ts';

const tags = ['Administration'];

export function adminAccountRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: '/admin/accounts',
    config: { access: 'admin' },
    schema: {
      summary: 'Add an account',
      description: 'The response has its first token, which is shown only once.',
      operationId: 'addAccount',
      tags,
      body: accountBody,
      response: {
        201: accountAdded,
        ...refusals(400, 401, 403, 409, 413, 415, 429),
      },
    },
    async handler({ caller, body }, reply) {
      const audit = { actor: caller.name, at: deps.now() };
      const added = await addAccount(deps, audit, { ...body, by: caller });
      return reply.code(201).send({ account: presentAccount(added.account), token: added.token });
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/accounts',
    config: { access: 'admin' },
    schema: {
      summary: 'List the accounts, by name',
      operationId: 'listAccounts',
      tags,
      querystring: cursorQuery,
      response: { 200: accountList, ...refusals(400, 401, 403, 429) },
    },
    async handler({ query: { cursor, limit = DEFAULT_PAGE_SIZE } }) {
      const { accounts, nextCursor } = await listAccounts(deps, { cursor, limit });
      return {
        accounts: accounts.map(presentAccount),
        nextCursor: nextCursor ?? null,
        hasMore: nextCursor !== undefined,
      };
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/accounts/:id',
    config: { access: 'admin' },
    schema: {
      summary: 'Show an account',
      operationId: 'showAccount',
      tags,
      params: accountParams,
      response: { 200: accountResponse, ...refusals(401, 403, 404, 429) },
    },
    handler: async ({ params }) => ({
      account: presentAccount(await findAccount(deps, params.id)),
    }),
  });

  app.route({
    method: 'PATCH',
    url: '/admin/accounts/:id',
    config: { access: 'admin' },
    schema: {
      summary: 'Change an account',
      description:
        'Disabling an account ends its sessions and sign-in links for good; its tokens are accepted again when it is enabled. Administrators cannot end their own administration.',
      operationId: 'changeAccount',
      tags,
      params: accountParams,
      body: accountChanges,
      response: {
        200: accountResponse,
        ...refusals(400, 401, 403, 404, 409, 413, 415, 429),
      },
    },
    async handler({ caller, params, body }) {
      const audit = { actor: caller.name, at: deps.now() };
      const changed = await changeAccount(deps, audit, params.id, body, caller);
      return { account: presentAccount(changed) };
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/accounts/:id/usage',
    config: { access: 'admin' },
    schema: {
      summary: 'Show the units charged to an account per day',
      description: `Also what they were charged for, and with which token. ${USAGE_RULE}`,
      operationId: 'showAccountUsage',
      tags,
      params: accountParams,
      querystring: usageQuery,
      response: { 200: usageShown, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ params, query }) {
      const { id } = await findAccount(deps, params.id);
      return presentUsage(await showUsage(deps, id, toUsageQuery(query)));
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/accounts/:id/tokens',
    config: { access: 'admin' },
    schema: {
      summary: 'List the tokens of an account',
      operationId: 'listAccountTokens',
      tags,
      description: 'In the order in which they were issued.',
      params: accountParams,
      querystring: cursorQuery,
      response: { 200: tokenList, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ params, query: { cursor, limit = DEFAULT_PAGE_SIZE } }) {
      const { id } = await findAccount(deps, params.id);
      return presentTokens(await listTokens(deps, id, { cursor, limit }));
    },
  });

  app.route({
    method: 'POST',
    url: '/admin/accounts/:id/tokens',
    config: { access: 'admin' },
    schema: {
      summary: 'Issue a token for an account',
      description:
        'It expires with the account at the latest; for your own account also with the token of this request.',
      operationId: 'issueAccountToken',
      tags,
      params: accountParams,
      body: tokenBody,
      response: { 201: tokenIssued, ...refusals(400, 401, 403, 404, 409, 413, 415, 429) },
    },
    async handler({ caller, params, body }, reply) {
      const audit = { actor: caller.name, at: deps.now() };
      const { id } = await findAccount(deps, params.id);
      const issued = await issueToken(deps, audit, id, { ...body, issuer: caller });
      return reply.code(201).send({ token: issued.text, ...presentToken(issued.token) });
    },
  });

  app.route({
    method: 'DELETE',
    url: '/admin/tokens/:id',
    config: { access: 'admin' },
    schema: {
      summary: 'Revoke a token',
      operationId: 'revokeAccountToken',
      tags,
      params: uuidParams,
      querystring: revokeQuery,
      response: { 200: token, ...refusals(400, 401, 403, 404, 429) },
    },
    async handler({ caller, params, query: { issued } }) {
      const audit = { actor: caller.name, at: deps.now() };
      return presentToken(await revokeToken(deps, audit, params.id, { issued }));
    },
  });
}
