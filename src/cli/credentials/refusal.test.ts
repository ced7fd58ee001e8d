import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { RapsheetError } from '../../client/error.ts';
import { formatToken } from '../../domain/accounts/token.ts';
import { nameAccount } from './refusal.ts';

const TOKEN = formatToken(new Uint8Array(24).fill(6));
const FORBIDDEN = new RapsheetError('No.', { code: 'role_missing', status: 403, requestId: 'r1' });

interface Members {
  readonly account?: string;
  readonly path?: string;
  readonly timeoutMs?: number;
}

describe('the account in a refusal', () => {
  let server: Server;
  let calls: string[] = [];
  let url: string;
  /** The path of the address decides what the server answers. */
  before(async () => {
    server = createServer((request, response) => {
      calls.push(request.url ?? '');
      if (request.url === '/silent/api/me') return;
      const body = request.url === '/api/me' ? { name: 'alice', successful: true } : {};
      response.statusCode = request.url === '/broken/api/me' ? 500 : 200;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const named = async (cause: unknown, members: Members = {}) => {
    calls = [];
    const connection = {
      url: `${url}${members.path ?? ''}`,
      token: TOKEN,
      source: 'token from RAPSHEET_TOKEN',
      profile: undefined,
      account: members.account,
    };
    const error = await nameAccount(cause, connection, members.timeoutMs);
    assert.ok(error instanceof RapsheetError);
    return error;
  };

  it('is asked for once, and the refusal stays the same otherwise', async () => {
    const { message, code, status, requestId } = await named(FORBIDDEN);
    assert.equal(message, `No. (as alice at ${url}, token from RAPSHEET_TOKEN)`);
    assert.deepEqual([code, status, requestId], ['role_missing', 403, 'r1']);
    assert.deepEqual(calls, ['/api/me']);
  });

  it('is that of the profile without a call', async () => {
    const { message } = await named(FORBIDDEN, { account: 'bob' });
    assert.match(message, /^No\. \(as bob at /);
    assert.deepEqual(calls, []);
  });

  it('is left out if the server does not give it in time, or at all', async () => {
    for (const path of ['/silent', '/broken']) {
      const { message, code } = await named(FORBIDDEN, { path, timeoutMs: 200 });
      assert.equal(message, `No. (at ${url}${path}, token from RAPSHEET_TOKEN)`);
      assert.equal(code, 'role_missing');
    }
  });

  it('is not asked for with a token that the server does not know', async () => {
    for (const [code, status] of [
      ['token_invalid', 401],
      ['too_many_bad_tokens', 429],
    ] as const) {
      const { message } = await named(new RapsheetError('No.', { code, status }));
      assert.equal(message, `No. (at ${url}, token from RAPSHEET_TOKEN)`);
      assert.deepEqual(calls, []);
    }
  });

  it('is not part of other failures', async () => {
    for (const cause of [
      new RapsheetError('No answer.', { code: 'no_answer' }),
      new RapsheetError('Broken.', { code: 'internal', status: 500 }),
      new RapsheetError('A proxy.', { code: 'bad_answer', status: 404 }),
    ])
      assert.equal(await named(cause), cause);
    assert.equal(await nameAccount(FORBIDDEN, undefined), FORBIDDEN);
  });
});
