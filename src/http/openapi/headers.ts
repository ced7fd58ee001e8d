/** Response headers for the OpenAPI document. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': text('Identifies this request in the logs'),
  'X-Error-Code': text('The stable code of this error', 'unknown_report'),
  'Retry-After': whole('Seconds to wait before the next attempt; absent if waiting does not help'),
  'WWW-Authenticate': text(
    'How to send a token, or which role the account lacks',
    'Bearer realm="rapsheet"',
  ),
  Location: text('The URL of the report'),
  'X-TAXII-Date-Added-First': text(
    'When the first object of the page was added',
    '2026-08-26T10:00:00.000000Z',
  ),
  'X-TAXII-Date-Added-Last': text(
    'When the last object of the page was added; continue with it as `added_after`',
    '2026-08-26T10:00:00.000000Z',
  ),
  'Idempotent-Replayed': text(
    '`true` if the `Idempotency-Key` was used before and no second report was created',
    'true',
  ),
  'X-C2-Rejected': text(
    '`true` if the desk of the feed has rejected this C2 as a false positive: the report is stored, but gives no indicator of the C2 until the desk takes that back',
    'true',
  ),
  Link: text('The next page, if there is one', '<…?cursor=…>; rel="next"'),
  'Preference-Applied': text('The `wait` of `Prefer` that was applied', 'wait=10'),
  'Set-Cookie': text(
    'The cookie of the session, or its removal',
    '__Host-rapsheet_session=ras_…; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict; Secure',
  ),
  ETag: text('The version of the file, for `If-None-Match`', '"…"'),
  'Last-Modified': text('When the feed was last changed', 'Wed, 26 Aug 2026 10:00:00 GMT'),
  'Accept-Ranges': text('`bytes` if `Range` is accepted: once the file is built', 'bytes'),
  'Content-Range': text('The bytes that are sent, and the size of the file', 'bytes 0-99/1234'),
  'Content-Disposition': text('The suggested file name', 'attachment; filename="….zip"'),
  'X-RateLimit-Limit': whole(
    'Units per period, or the burst of the rate; 999999999999999 if there is no limit',
  ),
  'X-RateLimit-Remaining': whole('Units left; 999999999999999 if there is no limit'),
  'X-RateLimit-Reset': whole(
    'When the period ends or units are available again, in seconds since 1970; absent if the period never ends',
  ),
  'RateLimit-Policy': text('The quota or rate limit in the IETF form', '"lookup";q=1000;w=86400'),
  'X-Batch-Rate': text(
    'How many lines a second are accepted once the units left are used; absent if there is no limit',
    '100',
  ),
  'X-Batch-Seconds': whole(
    'About how many seconds the batch takes, because it has more lines than the account has units left; absent if it is not slowed down, or the request has no Content-Length',
  ),
  RateLimit: text('The units left, in the IETF form', '"lookup";r=999;t=3600'),
};

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

export const QUOTA_HEADERS: readonly ResponseHeader[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];

/**
 * The headers of a lookup: on every response that spent a unit, or was refused because none was
 * left.
 */
export const LOOKUP_HEADERS = {
  200: QUOTA_HEADERS,
  400: QUOTA_HEADERS,
  404: QUOTA_HEADERS,
  429: QUOTA_HEADERS,
};

function text(description: string, example?: string) {
  return {
    description,
    schema: { type: 'string' as const },
    ...(example !== undefined && { example }),
  };
}

function whole(description: string) {
  return { description, schema: { type: 'integer' as const, minimum: 0 } };
}
