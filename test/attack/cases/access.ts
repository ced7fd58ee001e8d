import type { AttackCase } from '../case.ts';
import { type RequestCase, requestCase } from '../request-case.ts';
import type { Role } from '../target.ts';

const SHA256 = 'a'.repeat(64);
const REPORT = JSON.stringify({ c2Address: '192.0.2.1:443', file256Hash: SHA256 });
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

const NO_TOKEN = { status: 401, code: 'token_missing' };
const BAD_TOKEN = { status: 401, code: 'token_invalid' };

function without(method: string, path: string, body?: string): RequestCase {
  const send = { method, path, ...(body !== undefined && { body }) };
  return { name: `${method} ${path} without a token`, send, safe: NO_TOKEN };
}

function as(role: Role, method: string, path: string, body: string, code: string): RequestCase {
  const name = `${method} ${path} as ${role}`;
  return { name, as: role, send: { method, path, body }, safe: { status: 403, code } };
}

const ANSWER = `{"ids":["${UNKNOWN_ID}"],"status":"actioned"}`;
const CLAIM = '{"hosts":["*.mine.example"]}';

/** The built-in feed, whose desk has a role instead of a service. */
const UNCLAIMED_REQUESTS: readonly RequestCase[] = [
  as('researcher', 'PATCH', '/feed/unclaimed/reports', ANSWER, 'not_owner'),
  as('owner', 'PATCH', '/feed/unclaimed/reports', ANSWER, 'not_owner'),
  as('owner', 'POST', '/feed/unclaimed/webhooks', '{"url":"https://hooks.example/"}', 'not_owner'),
  as('owner', 'PATCH', '/admin/services/unclaimed', CLAIM, 'role_missing'),
  {
    name: 'declaring hosts for the built-in service',
    as: 'admin',
    send: { method: 'PATCH', path: '/admin/services/unclaimed', body: CLAIM },
    safe: { status: 409, code: 'service_built_in' },
  },
  ...['unclaimed', 'UNCLAIMED', 'unclaimed ', 'unclaimed\\u0000', '\\uff55nclaimed'].map(
    (slug): RequestCase => ({
      name: `adding a service that is named like the built-in one: ${JSON.stringify(slug)}`,
      as: 'admin',
      send: { method: 'POST', path: '/admin/services', body: `{"slug":"${slug}"}` },
      safe: { status: 400, code: 'invalid_body' },
    }),
  ),
  ...['UNCLAIMED', 'unclaimed%20', 'unclaimed%00', '%EF%BD%95nclaimed'].map(
    (slug): RequestCase => ({
      name: `a report in /feed/${slug}`,
      as: 'researcher',
      send: { method: 'POST', path: `/feed/${slug}/api`, body: REPORT },
      safe: { status: 404, code: 'unknown_service' },
    }),
  ),
];

const REQUESTS: readonly RequestCase[] = [
  without('POST', '/feed/ply/api', REPORT),
  without('GET', `/feed/ply/api?report=${UNKNOWN_ID}`),
  without('DELETE', `/feed/ply/api?report=${UNKNOWN_ID}`),
  without('GET', `/private/sample/${SHA256}`),
  without('GET', `/private/sample/${SHA256}/file`),
  without('GET', '/feed/all/reports'),
  without('GET', '/feed/ply/stream'),
  without('GET', '/api/search?q=evil'),
  without('POST', '/admin/samples', '{}'),
  without('GET', '/admin/accounts'),
  without('GET', '/admin/audit'),
  as('reader', 'POST', '/feed/ply/api', REPORT, 'role_missing'),
  as('reader', 'POST', '/admin/accounts', '{"name":"mallory","roles":["admin"]}', 'role_missing'),
  as('researcher', 'POST', '/admin/services', '{"slug":"mine"}', 'role_missing'),
  as('researcher', 'POST', '/feed/ply/webhooks', '{"url":"https://hooks.example/"}', 'not_owner'),
  as('owner', 'POST', '/feed/other/webhooks', '{"url":"https://hooks.example/"}', 'not_owner'),
  ...UNCLAIMED_REQUESTS,
  as(
    'admin',
    'PATCH',
    '/feed/ply/reports',
    `{"ids":["${UNKNOWN_ID}"],"status":"actioned"}`,
    'not_owner',
  ),
  ...[
    '/stats/reporters/%2f%2fevil.example',
    '/stats/reporters/%5cevil.example',
    '/search?q=//x',
  ].map((path) => ({
    name: `a redirect to another host: ${path}`,
    send: { path },
    safe: { status: 308, code: 'moved', mustMatch: /^location: \/api\/[^\\]*$/im },
  })),
  {
    name: 'a line break in the location of a redirect',
    send: { path: '/stats/reporters/%0d%0aset-cookie:%20a=b' },
    safe: { status: 308, code: 'moved', mustNotMatch: /^set-cookie/im },
  },
  {
    name: 'a role in other letter case, with a trailing space',
    as: 'admin',
    send: { method: 'POST', path: '/admin/accounts', body: '{"name":"m1","roles":["Admin "]}' },
    safe: { status: 400, code: 'invalid_body' },
  },
  {
    name: 'a token in the query string',
    send: ({ tokens }) => ({ path: `/api/balance?apikey=${tokens.get('reader')}` }),
    safe: { status: 401, code: 'token_missing', mustNotMatch: /rap_/ },
  },
  {
    name: 'a token with one character changed',
    send: ({ tokens }) => ({
      path: '/api/balance',
      headers: [
        `Authorization: ${tokens.get('reader')?.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a'))}`,
      ],
    }),
    safe: BAD_TOKEN,
  },
  {
    name: 'a token that is SQL',
    send: { path: '/api/balance', headers: [`Authorization: ' or 1=1 --`] },
    safe: BAD_TOKEN,
  },
  {
    name: 'two Authorization headers',
    send: ({ tokens }) => ({
      path: '/admin/accounts',
      headers: [`Authorization: ${tokens.get('reader')}`, `Authorization: ${tokens.get('admin')}`],
    }),
    safe: { status: [400, 401, 403] },
  },
  {
    name: 'a method override to DELETE',
    as: 'reader',
    send: {
      path: `/feed/ply/api?report=${UNKNOWN_ID}`,
      headers: ['X-HTTP-Method-Override: DELETE'],
    },
    safe: { status: 404, code: 'unknown_report' },
  },
  {
    name: 'HEAD of a lookup, which must not spend a unit',
    as: 'reader',
    send: { method: 'HEAD', path: `/private/sample/${SHA256}` },
    safe: { status: 405 },
  },
  {
    name: 'a path with .. segments to an admin route',
    as: 'reader',
    send: { path: '/feed/ply/../../admin/accounts' },
    safe: { status: [400, 403, 404] },
  },
  {
    name: 'a path with encoded slashes to an admin route',
    as: 'reader',
    send: { path: '/feed/ply%2f..%2f..%2fadmin/accounts' },
    safe: { status: [400, 403, 404] },
  },
  {
    name: 'a static file outside of the documentation folder',
    send: { path: '/docs/static/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd' },
    safe: { status: [400, 403, 404], mustNotMatch: /root:/ },
  },
  {
    name: 'the name of a service in upper case',
    as: 'researcher',
    send: { method: 'POST', path: '/feed/PLY/api', body: REPORT },
    safe: { status: 404, code: 'unknown_service' },
  },
  {
    name: 'an X-Forwarded-For header from an untrusted client',
    send: { path: '/api/balance', headers: ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'] },
    safe: NO_TOKEN,
  },
  {
    name: 'a cross-origin request with a token',
    as: 'reader',
    send: { path: '/api/balance', headers: ['Origin: https://evil.example'] },
    safe: { status: 200, mustNotMatch: /^access-control-allow-/im },
  },
  {
    name: 'the metrics on the public port',
    send: { path: '/metrics' },
    safe: { status: 404, code: 'unknown_route' },
  },
];

/** Requests without the required permission. */
export const access: readonly AttackCase[] = REQUESTS.map(requestCase);
