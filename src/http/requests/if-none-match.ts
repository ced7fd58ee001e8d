import type { FastifyRequest } from 'fastify';

/** Several headers of one name are one list (RFC 9110, section 5.3). */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The weak comparison of `If-None-Match` (RFC 9110, section 13.1.2). */
export function isUnchanged(request: FastifyRequest, etag: string): boolean {
  const tags = (headerOf(request, 'if-none-match') ?? '').split(',').map((tag) => tag.trim());
  const opaque = etag.replace(/^W\//, '');
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === opaque);
}
