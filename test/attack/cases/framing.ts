import type { AttackCase } from '../case.ts';
import { rawCase } from '../request-case.ts';

const REFUSED = { status: 400, code: 'malformed_request' };
const GET = 'GET /livez HTTP/1.1\r\nHost: x\r\n';
const BODY = '{"c2Address":"192.0.2.1:443"}';
const CHUNKED = `1d\r\n${BODY}\r\n0\r\n\r\n`;

function post(token: string, head: string, body: string): string {
  return `POST /feed/ply/api HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n${head}\r\n${body}`;
}

function smuggle(name: string, head: string, body: string): AttackCase {
  return rawCase(name, (target) => post(target.tokenOf('researcher'), head, body), REFUSED);
}

/** Bytes that are not HTTP, or that a proxy could parse differently (request smuggling). */
export const framing: readonly AttackCase[] = [
  rawCase(
    'a TLS ClientHello on the HTTP port',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    REFUSED,
  ),
  rawCase('an unknown method', 'STEAL /livez HTTP/1.1\r\nHost: x\r\n\r\n', REFUSED),
  rawCase('a version that does not exist', 'GET /livez HTTP/9.9\r\nHost: x\r\n\r\n', REFUSED),
  rawCase('a request without Host', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n', REFUSED),
  rawCase('a NUL in a header', `${GET}X-A: a\0b\r\n\r\n`, REFUSED),
  rawCase('a header without a colon', `${GET}nonsense\r\n\r\n`, REFUSED),
  rawCase('a header folded over two lines', `${GET}X-A: a\r\n b\r\nConnection: close\r\n\r\n`, {
    status: [200, 400],
  }),
  rawCase('a space before the colon of a header', `${GET}Content-Length : 0\r\n\r\n`, REFUSED),
  rawCase('headers of 20 kB', `${GET}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, {
    status: 431,
    code: 'malformed_request',
  }),
  rawCase('a URL of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, {
    status: [400, 414, 431],
  }),
  smuggle(
    'two different Content-Length headers',
    'Content-Length: 5\r\nContent-Length: 6\r\n',
    BODY,
  ),
  smuggle(
    'Content-Length together with a chunked body',
    'Content-Length: 29\r\nTransfer-Encoding: chunked\r\n',
    CHUNKED,
  ),
  smuggle(
    'a chunked body with a misspelt Transfer-Encoding',
    'Transfer-Encoding: xchunked\r\n',
    CHUNKED,
  ),
  smuggle(
    'chunked that is not the last Transfer-Encoding',
    'Transfer-Encoding: chunked, gzip\r\n',
    CHUNKED,
  ),
  smuggle('a vertical tab in Transfer-Encoding', 'Transfer-Encoding: \x0bchunked\r\n', CHUNKED),
  smuggle('a negative Content-Length', 'Content-Length: -1\r\n', BODY),
  smuggle('a Content-Length with a plus sign', 'Content-Length: +29\r\n', BODY),
  smuggle('a hexadecimal Content-Length', 'Content-Length: 0x1d\r\n', BODY),
  smuggle('a chunk size that is not a number', 'Transfer-Encoding: chunked\r\n', 'zz\r\nx\r\n'),
  smuggle(
    'a chunk size beyond 64 bits',
    'Transfer-Encoding: chunked\r\n',
    `${'f'.repeat(17)}\r\nx\r\n`,
  ),
  rawCase(
    'an upload that expects 100-continue without a token',
    'POST /private/upload?a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n',
    { status: 401, code: 'token_missing', mustNotMatch: /^HTTP\/1\.1 100/m },
  ),
  rawCase(
    'an upload to a percent-encoded path that expects 100-continue without a token',
    'POST /private/%75pload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n',
    { status: 401, code: 'token_missing', mustNotMatch: /^HTTP\/1\.1 100/m },
  ),
  rawCase(
    'an upgrade to cleartext HTTP/2',
    `${GET}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    { status: [200, 400], mustNotMatch: /^HTTP\/1\.1 101/m },
  ),
  rawCase(
    'an absolute URL of another host',
    'GET http://elsewhere.example/livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    {
      status: [200, 400, 404],
    },
  ),
  rawCase(
    'CONNECT to another host',
    'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example:443\r\n\r\n',
    {
      status: [400, 404, 405],
      mayClose: true,
    },
  ),
  rawCase(
    'TRACE, which would echo the token',
    (target) =>
      `TRACE /api/balance HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${target.tokenOf('reader')}\r\n\r\n`,
    {
      status: [400, 404, 405],
      mustNotMatch: /rap_/,
    },
  ),
];
