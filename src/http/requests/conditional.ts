import type { FastifyRequest } from 'fastify';

/** Several headers of one name are one list (RFC 9110, section 5.3). */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The weak comparison of `If-None-Match` (RFC 9110, section 13.1.2). */
export function isUnchanged(request: FastifyRequest, ...etags: readonly string[]): boolean {
  const tags = (headerOf(request, 'if-none-match') ?? '')
    .split(',')
    .map((tag) => opaqueOf(tag.trim()));
  return tags.some((tag) => tag === '*' || etags.some((etag) => tag === opaqueOf(etag)));
}

function opaqueOf(tag: string): string {
  return tag.replace(/^W\//, '');
}
