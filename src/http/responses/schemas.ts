import { z } from 'zod';
import { C2_ADDRESS, CURSOR, DAY, SLUG, TOKEN } from '../openapi/text-formats.ts';

/**
 * The parts that response schemas share. The OpenAPI document is built from the schemas, and the
 * HTTP tests validate every response against it.
 */

export const utc = z.string().meta({
  description: 'YYYY-MM-DDTHH:MM:SSZ',
  format: 'date-time',
  examples: ['2026-08-26T10:00:00Z'],
});
export const utcOrNull = utc.nullable();
export const uuid = z.string().meta({ format: 'uuid' });
export const slug = z.string().meta(SLUG);
/** Of a host, beside the service that answers for it. */
export const feed = slug.nullable().meta({
  description:
    'The feed to report it to: that of the service, or `unclaimed` if no service has declared it; null for private and reserved addresses, local names and public suffixes that no service has declared',
});
export const day = z
  .string()
  .meta({ description: 'UTC, YYYY-MM-DD', examples: ['2026-11-16'], ...DAY });
export const c2Address = z.string().meta({ description: '<host>:<port>', ...C2_ADDRESS });
export const secretToken = z.string().meta({ description: 'Shown only once', ...TOKEN });
export const nextCursor = z
  .string()
  .meta(CURSOR)
  .nullable()
  .meta({ description: 'The `cursor` of the next page; null on the last page' });

export function hex(digits: number) {
  return z.string().meta({ pattern: `^[0-9a-f]{${digits}}$` });
}

/** Typed as readonly, because handlers return lists that they must not change. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item) as unknown as z.ZodType<readonly z.output<Item>[]>;
}

export const failure = z
  .strictObject({
    error: z.string().meta({ description: 'What was wrong, and what is expected' }),
    successful: z.literal(false),
  })
  .meta({
    id: 'Failure',
    description: 'An error. `X-Error-Code` has the stable code for programs.',
  });

export const done = z
  .strictObject({ message: z.string(), successful: z.literal(true) })
  .meta({ id: 'Done', description: 'The operation is done' });

export const notModified = z
  .undefined()
  .meta({ description: 'The reader has this version: its `If-None-Match` names it' });

/**
 * The error responses of a route. 500 and 503 are possible on every route, and 403 on every route
 * that accepts a session: a page of another origin may make the request.
 */
export function refusals(...statuses: number[]): Record<number, typeof failure> {
  const ofSessions = statuses.includes(401) ? [403] : [];
  return Object.fromEntries(
    [...statuses, ...ofSessions, 500, 503].map((status) => [status, failure]),
  );
}
