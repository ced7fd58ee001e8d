import type { FastifyRequest } from 'fastify';
import { Problem } from '../../domain/problem.ts';

/**
 * The refusal of a body that is compressed or in another character set; `undefined` if it is plain.
 */
export function encodingRefusal({ headers, routeOptions }: FastifyRequest): Problem | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const charset = /;\s*charset="?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (encoding === 'identity' && /^utf-?8$/i.test(charset)) return undefined;
  return unsupportedMediaType(routeOptions.config.bodyType);
}

export function unsupportedMediaType(expected = 'application/json'): Problem {
  return new Problem('unsupported_media_type', { parameters: { expected } });
}
