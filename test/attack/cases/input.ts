import type { AttackCase } from '../case.ts';
import { type RequestCase, requestCase } from '../request-case.ts';

const SHA256 = 'b'.repeat(64);
const REFUSED = { status: 400, code: 'invalid_body' };
const NOT_JSON = { status: 400, code: 'malformed_json' };

function report(members: object): string {
  return JSON.stringify({ c2Address: '192.0.2.1:443', file256Hash: SHA256, ...members });
}

function create(name: string, body: string | Buffer, safe: RequestCase['safe']): RequestCase {
  return { name, as: 'researcher', send: { method: 'POST', path: '/feed/ply/api', body }, safe };
}

function get(name: string, path: string, safe: RequestCase['safe']): RequestCase {
  return { name, as: 'reader', send: { path }, safe };
}

const HOSTS = [
  'localhost\r\nX-Injected: 1:80',
  'evil.example/path:80',
  'user@evil.example:80',
  '0x7f000001:80',
  '127.1:80',
  '0177.0.0.1:80',
  '①②⑦.⓪.⓪.①:80',
  '*.example:80',
  'evil.example.:80',
  `${'a'.repeat(64)}.example:80`,
  'evil.example:0',
  'evil.example:65536',
  'evil.example:+80',
  '[::ffff:1.2.3.4%eth0]:80',
  'evil.example:80 alert tcp any any',
];

const REQUESTS: readonly RequestCase[] = [
  ...HOSTS.map((c2Address) =>
    create(`the C2 address ${JSON.stringify(c2Address)}`, report({ c2Address }), REFUSED),
  ),
  create('a body nested 20,000 deep', '['.repeat(20_000), REFUSED),
  create(
    'a body that is not UTF-8',
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    NOT_JSON,
  ),
  create('a body of 70 kB', report({ tags: ['x'.repeat(70_000)] }), {
    status: 413,
    code: 'body_too_large',
  }),
  create('__proto__ as a member', `{"__proto__":{"roles":["admin"]},${report({}).slice(1)}`, {
    status: 400,
  }),
  create(
    'constructor.prototype as a member',
    `{"constructor":{"prototype":{"a":1}},${report({}).slice(1)}`,
    {
      status: 400,
    },
  ),
  create('a tag with a line break', report({ tags: ['rat\r\nalert tcp any any'] }), REFUSED),
  create('a tag with a right-to-left override', report({ tags: ['\u202Etar'] }), REFUSED),
  create('a tag of zero-width characters', report({ tags: ['\u200B'] }), REFUSED),
  create(
    '33 tags',
    report({ tags: Array.from({ length: 33 }, (_, index) => `t${index}`) }),
    REFUSED,
  ),
  create('a javascript: link', report({ referenceLink: 'javascript:alert(1)' }), REFUSED),
  create('a link with a user name', report({ referenceLink: 'https://a:b@c.example/' }), REFUSED),
  create('a file: link', report({ referenceLink: 'file:///etc/passwd' }), REFUSED),
  create(
    'a link with a line break',
    report({ referenceLink: 'https://a.example/\r\nX: 1' }),
    REFUSED,
  ),
  create('a confidence of 1e400', report({}).replace('}', ',"confidenceScore":1e400}'), {
    status: 400,
  }),
  create('a confidence that is not an integer', report({ confidenceScore: 50.5 }), REFUSED),
  create('an unknown member', report({ isAdmin: true }), REFUSED),
  create('a hash of 63 digits', report({ file256Hash: 'b'.repeat(63) }), REFUSED),
  {
    name: 'a body of type text/plain',
    as: 'researcher',
    send: {
      method: 'POST',
      path: '/feed/ply/api',
      body: report({}),
      headers: ['Content-Type: text/plain'],
    },
    safe: { status: 415, code: 'unsupported_media_type' },
  },
  {
    name: 'a body with Content-Encoding gzip',
    as: 'researcher',
    send: {
      method: 'POST',
      path: '/feed/ply/api',
      body: report({}),
      headers: ['Content-Encoding: gzip'],
    },
    safe: { status: 415, code: 'unsupported_media_type' },
  },
  {
    name: 'an idempotency key of 10 kB',
    as: 'researcher',
    send: {
      method: 'POST',
      path: '/feed/ply/api',
      body: report({}),
      headers: [`Idempotency-Key: ${'k'.repeat(10_000)}`],
    },
    safe: { status: 400, code: 'invalid_header' },
  },
  get('an invalid cursor', '/feed/ply/reports?cursor=AAAA', {
    status: 400,
    code: 'invalid_cursor',
  }),
  get('a cursor of 8 kB', `/feed/ply/reports?cursor=${'A'.repeat(8000)}`, { status: 400 }),
  get('a limit of 1e9', '/feed/ply/reports?limit=1e9', {
    status: 400,
    code: 'invalid_query',
  }),
  get('two limits', '/feed/ply/reports?limit=1&limit=2', { status: 400, code: 'invalid_query' }),
  get('SQL in a filter', `/feed/ply/reports?tag=${encodeURIComponent("x' or '1'='1")}`, {
    status: [200, 400],
  }),
  {
    name: 'a page of accounts above the maximum',
    as: 'admin',
    send: { path: '/admin/accounts?limit=1001' },
    safe: { status: 400, code: 'invalid_query' },
  },
  {
    name: 'an invalid cursor of accounts',
    as: 'admin',
    send: { path: '/admin/accounts?cursor=AAAA' },
    safe: { status: 400, code: 'invalid_cursor' },
  },
  get('a position after the end of the feed', '/feed/ply/changes?since=999999999', {
    status: 400,
    code: 'since_ahead',
  }),
  get('a negative position', '/feed/ply/changes?since=-1', { status: 400 }),
  get(
    'full-text operators in a search',
    `/api/search?q=${encodeURIComponent('a" OR "b* NEAR(c')}`,
    {
      status: [200, 400],
    },
  ),
  get('a search of 8 kB', `/api/search?q=${'a'.repeat(8000)}`, { status: 400 }),
  get('LIKE wildcards in a search', `/api/search?q=${'%25_'.repeat(50)}`, { status: [200, 400] }),
  get('a hash that is a path', '/private/sample/..%2f..%2fetc%2fpasswd', {
    status: 400,
    code: 'invalid_hash',
  }),
  get('an ssdeep of 8 kB', `/private/similar/x?ssdeep=3:${'A'.repeat(8000)}:B`, {
    status: [400, 404],
  }),
  get('broken percent encoding', '/private/sample/%zz', { status: 400 }),
  {
    name: 'a webhook to localhost',
    as: 'owner',
    send: { method: 'POST', path: '/feed/ply/webhooks', body: '{"url":"https://localhost/x"}' },
    safe: REFUSED,
  },
  {
    name: 'a webhook with a line break in its URL',
    as: 'owner',
    send: {
      method: 'POST',
      path: '/feed/ply/webhooks',
      body: '{"url":"https://hooks.example/\\r\\nX-A: 1"}',
    },
    safe: REFUSED,
  },
  {
    name: 'a webhook to a cloud metadata service',
    as: 'owner',
    send: {
      method: 'POST',
      path: '/feed/ply/webhooks',
      body: '{"url":"https://169.254.169.254/latest/"}',
    },
    safe: REFUSED,
  },
  {
    name: 'a webhook to an http URL',
    as: 'owner',
    send: { method: 'POST', path: '/feed/ply/webhooks', body: '{"url":"http://hooks.example/"}' },
    safe: REFUSED,
  },
  {
    name: 'an upload without the multipart boundary',
    as: 'researcher',
    send: {
      method: 'POST',
      path: '/private/upload',
      headers: ['Content-Type: multipart/form-data; boundary=b'],
      body: 'no boundary here',
    },
    safe: { status: 400, code: 'malformed_multipart' },
  },
  {
    name: 'an upload with a boundary of 10 kB',
    as: 'researcher',
    send: {
      method: 'POST',
      path: '/private/upload',
      headers: [`Content-Type: multipart/form-data; boundary=${'b'.repeat(10_000)}`],
      body: 'x',
    },
    safe: { status: [400, 415] },
  },
  {
    name: 'an event stream with an invalid Last-Event-ID',
    as: 'reader',
    send: { path: '/feed/all/stream', headers: ['Last-Event-ID: \x7f\x7fgarbage'] },
    safe: { status: [200, 400] },
  },
];

/** Invalid bodies, URLs, headers and fields. */
export const input: readonly AttackCase[] = REQUESTS.map(requestCase);
