import { addAccount } from '../../operations/add-account.ts';
import { changeAccount } from '../../operations/change-account.ts';
import { findAccount } from '../../operations/find-account.ts';
import { issueToken } from '../../operations/issue-token.ts';
import { revokeToken } from '../../operations/revoke-token.ts';
import { accountBody, accountChanges, revokeQuery, tokenBody } from '../admin-fields.ts';
import type { App } from '../app.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { accountParams, uuidParams } from '../parameters.ts';
import { presentAccount, presentToken } from '../present.ts';
import {
  accountAdded,
  accountAnswer,
  accountList,
  refusals,
  token,
  tokenIssued,
  tokenList,
} from '../replies.ts';

const tags = ['Administration'];

export function adminAccountRoutes(app: App, deps: HttpDependencies): void {
  app.route({
    method: 'POST',
    url: '/admin/accounts',
    config: { access: 'admin' },
    schema: {
      summary: 'Add an account',
      description: 'The answer holds its first token, which is shown this once.',
      operationId: 'addAccount',
      tags,
      body: accountBody,
      response: {
        201: accountAdded,
        ...refusals(400, 401, 403, 409, 413, 415, 429),
      },
    },
    async handler({ caller, body }, reply) {
      const act = { actor: caller.name, at: deps.now() };
      const made = await addAccount(deps, act, { ...body, issuerId: caller.tokenId });
      return reply.code(201).send({ account: presentAccount(made.account), token: made.token });
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/accounts',
    config: { access: 'admin' },
    schema: {
      summary: 'List the accounts',
      operationId: 'listAccounts',
      tags,
      response: { 200: accountList, ...refusals(401, 403, 429) },
    },
    handler: async () => ({
      accounts: (await deps.store.accounts.list(deps.now())).map(presentAccount),
    }),
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
      response: { 200: accountAnswer, ...refusals(401, 403, 404, 429) },
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
      operationId: 'changeAccount',
      tags,
      params: accountParams,
      body: accountChanges,
      response: {
        200: accountAnswer,
        ...refusals(400, 401, 403, 404, 413, 415, 429),
      },
    },
    async handler({ caller, params, body }) {
      const act = { actor: caller.name, at: deps.now() };
      return { account: presentAccount(await changeAccount(deps, act, params.id, body)) };
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
      params: accountParams,
      response: { 200: tokenList, ...refusals(401, 403, 404, 429) },
    },
    async handler({ params }) {
      const { id } = await findAccount(deps, params.id);
      return { tokens: (await deps.store.tokens.list(id)).map(presentToken) };
    },
  });

  app.route({
    method: 'POST',
    url: '/admin/accounts/:id/tokens',
    config: { access: 'admin' },
    schema: {
      summary: 'Issue a token for an account',
      description:
        'It expires with the account at the latest; for your own account also with the token of this call.',
      operationId: 'issueAccountToken',
      tags,
      params: accountParams,
      body: tokenBody,
      response: { 201: tokenIssued, ...refusals(400, 401, 403, 404, 413, 415, 429) },
    },
    async handler({ caller, params, body }, reply) {
      const act = { actor: caller.name, at: deps.now() };
      const { id } = await findAccount(deps, params.id);
      const issued = await issueToken(deps, act, id, { ...body, issuer: caller });
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
      const act = { actor: caller.name, at: deps.now() };
      return presentToken(await revokeToken(deps, act, params.id, { issued }));
    },
  });
}
