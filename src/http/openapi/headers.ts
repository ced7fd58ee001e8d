/** Response headers for the OpenAPI document. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': text('Identifies this call, for support'),
  'X-Error-Code': text('The stable word for this refusal', 'unknown_report'),
  'Retry-After': whole(
    'Seconds to wait before the next attempt; absent where waiting does not help',
  ),
  'WWW-Authenticate': text(
    'How to send a token, or which role it lacks',
    'Bearer realm="rapsheet"',
  ),
  Location: text('Where the report can be fetched'),
  'Idempotent-Replayed': text(
    '`true` where the `Idempotency-Key` was known and no second report was made',
    'true',
  ),
  Link: text('Where the next page is, where there is one', '<…?cursor=…>; rel="next"'),
  'Preference-Applied': text('The `wait` of `Prefer` that was heeded', 'wait=10'),
  'Content-Disposition': text('The name to store it under', 'attachment; filename="….zip"'),
  'X-RateLimit-Limit': whole('Units a period, or at once; 999999999999999 where there is no limit'),
  'X-RateLimit-Remaining': whole('Units left; 999999999999999 where there is no limit'),
  'X-RateLimit-Reset': whole(
    'When the period ends, or all units are there again, in seconds since 1970; absent where it never does',
  ),
  'RateLimit-Policy': text('The quota or rate limit in the IETF form', '"lookup";q=1000;w=86400'),
  RateLimit: text('What is left of it in the IETF form', '"lookup";r=999;t=3600'),
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
